package dev.headway.scheduler.queue;

import dev.headway.api.policy.Candidates;
import dev.headway.api.policy.StepView;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.policy.guard.GuardedPolicies;
import dev.headway.scheduler.policy.guard.Ranking;
import dev.headway.scheduler.state.RequestState;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The longest waiting requests, ranked anew by a policy in each step that gets to admissions; all
 * others follow by arrival. A step looks at a window of them, however many wait, and at the next
 * one only when all of the first are admitted or passed over, so that it looks at no request twice.
 * A request that is passed over keeps its place; one that was set aside and given back comes before
 * those that never were. Allocates nothing once warm.
 */
public final class WindowQueue implements AdmissionOrder {

  private static final Comparator<RequestState> BY_ARRIVAL =
      Comparator.comparingLong(RequestState::number);

  private final GuardedPolicies policies;
  private final StepView step;
  private final SchedulerEvents events;
  private final boolean reportsScores;
  private final Line returned = new Line();
  private final Line line = new Line();
  private final Window window;
  private @Nullable Ranking ranking;
  private @Nullable RequestState head;

  /**
   * Makes an empty queue.
   *
   * @param policies ranks the window
   * @param step what the ranking may look at
   * @param events reports scores to probes that ask for them
   */
  public WindowQueue(GuardedPolicies policies, StepView step, SchedulerEvents events) {
    this.policies = policies;
    this.step = step;
    this.events = events;
    reportsScores = events.areWanted(ProbeInterest.SCORES);
    window = new Window(policies.window());
  }

  @Override
  public void add(RequestState request) {
    request.passedOver = false;
    line.requests.add(request);
  }

  @Override
  public void addPreempted(RequestState request) {
    request.passedOver = false;
    line.requests.putBack(request);
    line.restart();
  }

  @Override
  public void remove(RequestState request) {
    lineOf(request).remove(request);
    leaveWindow(request);
  }

  @Override
  public void setAside(RequestState request) {
    remove(request);
  }

  @Override
  public void giveBack(RequestState request) {
    request.passedOver = true;
    returned.append(request);
  }

  /** Before a window is filled, as many as it takes. */
  @Override
  public boolean isDue(RequestState setAside) {
    return ranking == null && returned.requests.size() < policies.window();
  }

  @Override
  public Comparator<RequestState> order() {
    return BY_ARRIVAL;
  }

  @Override
  public void begin() {
    dropRanking();
    returned.restart();
    line.restart();
  }

  @Override
  public @Nullable RequestState peek() {
    if (head == null) {
      head = nextRanked();
    }
    return head;
  }

  @Override
  public void passOver(RequestState request) {
    request.passedOverStepId = step.stepId();
    leaveWindow(request);
  }

  @Override
  public void admitted() {
    if (policies.rescores()) {
      dropRanking();
    }
  }

  @Override
  public void end() {
    dropRanking();
    returned.forget();
    line.forget();
  }

  @Override
  public int neverPassedOver() {
    return returned.requests.size() + line.requests.size();
  }

  @Override
  public void forEachInOrder(Consumer<RequestState> visitor) {
    returned.requests.forEachInOrder(visitor);
    line.requests.forEachInOrder(visitor);
  }

  @Override
  public void forEachPassedOver(Consumer<RequestState> visitor) {}

  private @Nullable RequestState nextRanked() {
    while (true) {
      if (ranking == null) {
        returned.fill(window, step.stepId());
        line.fill(window, step.stepId());
        if (window.size() == 0) {
          return null;
        }
        ranking = rank();
      }
      final int next = ranking.next();
      if (next == Ranking.NONE) {
        dropRanking(); // used up; those behind are next
        returned.advance();
        line.advance();
      } else if (window.at(next) != null) {
        return window.at(next);
      }
    }
  }

  private Ranking rank() {
    final Ranking ranked = policies.rank(window, step);
    if (reportsScores && ranked.isScored()) {
      for (int i = 0; i < window.size(); i++) {
        events.scored(step.stepId(), window.request(i), ranked.score(i));
      }
    }
    return ranked;
  }

  private Line lineOf(RequestState request) {
    return request.passedOver ? returned : line;
  }

  private void leaveWindow(RequestState request) {
    window.remove(request);
    if (head == request) {
      head = null;
    }
  }

  private void dropRanking() {
    ranking = null;
    head = null;
    window.clear();
  }

  /** Requests in order, and which of them the window has. */
  private static final class Line {

    final FcfsQueue requests = new FcfsQueue();

    /** Where the window begins: in this step, all before were passed over. */
    private @Nullable RequestState from;

    /** The first behind the window. */
    private @Nullable RequestState behind;

    /** Whether {@link #from} holds; if not, the window begins at the head. */
    private boolean begun;

    void fill(Window window, long stepId) {
      from = begun ? from : requests.peek();
      begun = true;
      behind = window.fill(from, stepId);
    }

    void append(RequestState request) {
      requests.add(request);
      if (begun && from == null) {
        from = request; // all before were passed over
      }
    }

    void advance() {
      from = behind;
    }

    void restart() {
      begun = false;
    }

    void forget() {
      begun = false;
      from = null;
      behind = null;
    }

    void remove(RequestState request) {
      if (request == from) {
        from = request.next;
      }
      if (request == behind) {
        behind = request.next;
      }
      requests.remove(request);
    }
  }

  /** The candidates of a ranking; those taken out leave a hole. */
  private static final class Window implements Candidates {

    private final @Nullable RequestState[] requests;
    private int size;

    Window(int capacity) {
      requests = new RequestState[capacity];
    }

    /**
     * Takes those from {@code first} on that were not passed over in this step; returns the first
     * one behind them.
     */
    @Nullable RequestState fill(@Nullable RequestState first, long stepId) {
      RequestState at = first;
      for (; at != null && size < requests.length; at = at.next) {
        if (at.passedOverStepId != stepId) {
          at.windowIndex = size;
          requests[size++] = at;
        }
      }
      return at;
    }

    void remove(RequestState request) {
      if (request.windowIndex >= 0) {
        requests[request.windowIndex] = null;
        request.windowIndex = RequestState.NOWHERE;
      }
    }

    void clear() {
      for (int i = 0; i < size; i++) {
        final RequestState request = requests[i];
        if (request != null) {
          request.windowIndex = RequestState.NOWHERE;
          requests[i] = null;
        }
      }
      size = 0;
    }

    @Nullable RequestState at(int index) {
      return requests[index];
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public RequestView request(int index) {
      return Objects.requireNonNull(requests[index], "a candidate is only there during the call");
    }
  }
}
