package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.live.RecordConsumer;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.CacheResetRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RunEndedRecord;
import dev.headway.events.record.RunStartedRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * The few requests of a journal that took longest, for somebody who does not know yet whom to ask
 * about. Remembers those and the requests that are alive.
 */
final class Candidates implements RecordConsumer {

  /** What makes a request stand out. */
  enum By {
    /** Time from arrival to end. */
    SLOWEST,
    /** Time in the queue, over all stays. */
    LONGEST_WAIT
  }

  /**
   * A request that stands out.
   *
   * @param ttftNs from its arrival, or absent
   * @param end its finish reason; {@code unfinished} if the journal does not know
   */
  record Candidate(
      int run,
      long number,
      String id,
      long e2eNs,
      long ttftNs,
      long waitedNs,
      int preemptions,
      String end) {}

  private static final class Live {
    final QueuedRecord request;
    long waitsSinceNs;
    boolean waiting = true;
    long waitedNs;
    long ttftNs = ABSENT;
    int preemptions;

    Live(QueuedRecord request) {
      this.request = request;
      waitsSinceNs = request.queuedNs();
    }

    void seated(long nowNs) {
      waitedNs += waiting ? nowNs - waitsSinceNs : 0;
      waiting = false;
    }

    void putBack(long nowNs) {
      waiting = true;
      waitsSinceNs = nowNs;
      preemptions++;
    }
  }

  private record Move(Live request, boolean seated) {}

  private static final int ALL_RUNS = Choice.LATEST;

  private final int count;
  private final int wantedRun;
  private final Comparator<Candidate> leastFirst;
  private final PriorityQueue<Candidate> kept;
  private final Map<Long, Live> live = new HashMap<>();
  private final List<Move> moves = new ArrayList<>();
  private int run = -1;
  private long latestStep;
  private long latestNs;

  Candidates(By by, int count, int wantedRun) {
    this.count = count;
    this.wantedRun = wantedRun;
    leastFirst =
        Comparator.comparingLong(by == By.SLOWEST ? Candidate::e2eNs : Candidate::waitedNs)
            .thenComparing(Candidate::run, Comparator.reverseOrder())
            .thenComparing(Candidate::number, Comparator.reverseOrder());
    kept = new PriorityQueue<>(leastFirst);
  }

  /** What stands out most first. */
  List<Candidate> ranking() {
    return kept.stream().sorted(leastFirst.reversed()).toList();
  }

  @Override
  public void onRunStarted(RunStartedRecord started) {
    endRun();
    run++;
    latestStep = 0;
    latestNs = 0;
  }

  @Override
  public void onQueued(QueuedRecord request) {
    latestNs = request.queuedNs();
    if (wantedRun == ALL_RUNS || wantedRun == run) {
      live.put(request.requestNumber(), new Live(request));
    }
  }

  @Override
  public void onAdmitted(AdmittedRecord admitted) {
    move(admitted.stepId(), admitted.requestNumber(), true);
  }

  @Override
  public void onPreempted(PreemptedRecord preempted) {
    move(preempted.stepId(), preempted.requestNumber(), false);
  }

  @Override
  public void onCacheReset(CacheResetRecord reset) {
    latestNs = reset.atNs();
  }

  @Override
  public void onPlanned(PlannedStep step) {
    latestNs = step.endNs();
    latestStep = step.stepId();
    moves.forEach(move -> apply(move, latestNs));
    moves.clear();
  }

  @Override
  public void onFirstToken(FirstTokenRecord firstToken) {
    latestNs = firstToken.atNs();
    final Live request = live.get(firstToken.requestNumber());
    if (request != null) {
      request.ttftNs = firstToken.atNs() - request.request.arrivalNs();
    }
  }

  @Override
  public void onFinished(FinishedRecord end) {
    latestNs = end.atNs();
    final Live request = live.remove(end.requestNumber());
    if (request != null) {
      applyMovesOf(request, end.atNs());
      offer(request, end.atNs(), end.reason());
    }
  }

  @Override
  public void onStepCompleted(CompletedStep step) {
    latestNs = step.endNs();
  }

  @Override
  public void onRunEnded(RunEndedRecord end) {
    latestNs = end.atNs();
  }

  /** No more records: requests still alive count up to here. */
  @Override
  public void close() {
    endRun();
  }

  private void endRun() {
    moves.clear();
    for (Live request : live.values()) {
      offer(request, latestNs, "unfinished");
    }
    live.clear();
  }

  private void move(long stepId, long number, boolean seated) {
    final Live request = live.get(number);
    if (request == null) {
      return;
    }
    final Move move = new Move(request, seated);
    if (stepId > latestStep) {
      moves.add(move);
    } else {
      apply(move, latestNs);
    }
  }

  private void applyMovesOf(Live request, long nowNs) {
    moves.stream().filter(move -> move.request == request).forEach(move -> apply(move, nowNs));
    moves.removeIf(move -> move.request == request);
  }

  private static void apply(Move move, long nowNs) {
    if (move.seated) {
      move.request.seated(nowNs);
    } else {
      move.request.putBack(nowNs);
    }
  }

  private void offer(Live request, long untilNs, String end) {
    request.seated(untilNs);
    kept.add(
        new Candidate(
            run,
            request.request.requestNumber(),
            request.request.requestId(),
            untilNs - request.request.arrivalNs(),
            request.ttftNs,
            request.waitedNs,
            request.preemptions,
            end));
    if (kept.size() > count) {
      kept.poll();
    }
  }
}
