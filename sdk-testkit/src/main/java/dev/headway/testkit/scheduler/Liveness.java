package dev.headway.testkit.scheduler;

import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepPlan;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The law of progress, as an oracle for random tests: while requests are there and nothing disturbs
 * the scheduler, some request ends, or computes more tokens than it ever had, within so many steps
 * as all of them together have tokens; and no step is empty without a step out, but for three in a
 * row. Of requests that something outside of the scheduler holds nothing is promised.
 */
public final class Liveness {

  private static final int MOST_EMPTY_STEPS = 3;

  private final Supplier<String> where;
  private final IdentityHashMap<RequestView, Integer> mostComputed = new IdentityHashMap<>();
  private final Set<RequestView> held = Collections.newSetFromMap(new IdentityHashMap<>());
  private int stepsOut;
  private int emptySteps;
  private int steps;

  /** Makes an oracle; {@code where} names the seed, for messages. */
  public Liveness(Supplier<String> where) {
    this.where = where;
  }

  /** A request was added. */
  public void added(RequestView request) {
    mostComputed.put(request, 0);
    progressed();
  }

  /** A request has ended. */
  public void ended(RequestView request) {
    mostComputed.remove(request);
    held.remove(request);
    progressed();
  }

  /** Something outside of the scheduler holds a request from now on. */
  public void held(RequestView request) {
    held.add(request);
  }

  /** Nothing outside of the scheduler holds a request any more. */
  public void released(RequestView request) {
    if (held.remove(request)) {
      progressed();
    }
  }

  /** Scheduling was paused, blocks or a step were lost: nothing is promised of the time before. */
  public void disturbed() {
    progressed();
  }

  /**
   * A step is out.
   *
   * @param promised whether the law holds: not where dead ends are reproduced
   */
  public void planned(StepPlan plan, boolean promised) {
    steps = mostComputed.size() == held.size() || !promised ? 0 : steps + 1;
    emptySteps = plan.size() > 0 || stepsOut > 0 || steps == 0 ? 0 : emptySteps + 1;
    stepsOut += plan.size() > 0 ? 1 : 0;
    if (emptySteps > MOST_EMPTY_STEPS) {
      throw broken("a step must compute something where it can: emptySteps=" + emptySteps);
    }
    if (steps > 100 && steps > mostStepsWithoutProgress()) {
      throw broken("some request must compute more than it ever had: steps=" + steps);
    }
  }

  /** A step is over, and its output processed. */
  public void answered(StepPlan plan) {
    stepsOut -= plan.size() > 0 ? 1 : 0;
    for (int entry = 0; entry < plan.size(); entry++) {
      final RequestView request = plan.request(entry) instanceof RequestView view ? view : null;
      final Integer most = request == null ? null : mostComputed.get(request);
      if (request != null && most != null && request.status() == RequestStatus.RUNNING) {
        final int computed = request.computedTokens() - request.inFlightTokens();
        if (computed > most) {
          mostComputed.put(request, computed);
          progressed();
        }
      }
    }
  }

  private int mostStepsWithoutProgress() {
    int tokens = 0;
    for (RequestView request : mostComputed.keySet()) {
      tokens += request.knownTokens() + 10;
    }
    return 2 * tokens;
  }

  private void progressed() {
    steps = 0;
    emptySteps = 0;
  }

  private AssertionError broken(String law) {
    return new AssertionError(law + ", alive=" + mostComputed.keySet() + ", " + where.get());
  }
}
