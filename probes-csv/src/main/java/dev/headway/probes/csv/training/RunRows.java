package dev.headway.probes.csv.training;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.ObservedRequest;
import dev.headway.events.model.ObservedRun;
import dev.headway.events.model.ObservedStep;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes the rows of one run. A step's row waits for the next step, which ends its period. */
final class RunRows {

  private static final int WARM_UP_STEPS = 10;

  private final ObservedRun run;
  private final Consumer<AlphaRow> alpha;
  private final Consumer<BetaRow> beta;
  private final Map<ObservedRequest, QueueState> found = new LinkedHashMap<>();
  private final MovingMean stepNs = new MovingMean();
  private final MovingMean arrivalGapNs = new MovingMean();
  private long latestArrivalNs = ABSENT;
  private long latestAdmissionNs = ABSENT;
  private long latestNs;
  private long steps;
  private @Nullable ObservedStep before;
  private int deltaOfBefore;
  private boolean aliveAfterBefore;

  RunRows(ObservedRun run, Consumer<AlphaRow> alpha, Consumer<BetaRow> beta) {
    this.run = run;
    this.alpha = alpha;
    this.beta = beta;
  }

  /** Whether there is something to learn from a step. */
  static boolean hasRow(ObservedStep step) {
    return step.wasExecuted() && step.areEntriesKnown() && step.plan().totalTokens() > 0;
  }

  void queued(ObservedRequest request) {
    final long nowNs = request.queued().queuedNs();
    final long arrivalNs = request.queued().arrivalNs();
    latestNs = Math.max(latestNs, nowNs);
    if (latestArrivalNs != ABSENT) {
      arrivalGapNs.add(arrivalNs - latestArrivalNs);
    }
    latestArrivalNs = arrivalNs;
    found.put(
        request,
        QueueState.of(run, nowNs, latestAdmissionNs, stepNs.value(), arrivalGapNs.value()));
  }

  void scheduled(ObservedRequest request) {
    latestAdmissionNs = request.firstScheduledNs();
    write(request, request.firstScheduledNs());
  }

  void ended(ObservedRequest request, long nowNs) {
    latestNs = Math.max(latestNs, nowNs);
    write(request, nowNs);
  }

  void step(ObservedStep step) {
    final ObservedStep earlier = before;
    int delta = step.plan().batchSize();
    if (earlier != null) {
      final boolean follows = step.plan().stepId() == earlier.plan().stepId() + 1;
      final boolean busy = follows && aliveAfterBefore;
      if (busy) {
        stepNs.add(step.periodNs());
      }
      write(earlier, busy ? step.periodNs() : ABSENT);
      delta -= earlier.plan().batchSize();
    }
    before = step;
    deltaOfBefore = delta;
    aliveAfterBefore = !run.waiting().isEmpty() || !run.running().isEmpty();
    latestNs = Math.max(latestNs, step.endNs());
  }

  /** Writes what waits for a step that does not come. */
  void end() {
    if (before != null) {
      write(before, ABSENT);
      before = null;
    }
    found.forEach((request, state) -> alpha.accept(new AlphaRow(run, request, state, latestNs)));
    found.clear();
  }

  private void write(ObservedRequest request, long endNs) {
    final QueueState state = found.remove(request);
    if (state != null) {
      alpha.accept(new AlphaRow(run, request, state, endNs));
    }
  }

  private void write(ObservedStep step, long periodNs) {
    final boolean warmUp = steps++ < WARM_UP_STEPS;
    if (hasRow(step)) {
      beta.accept(new BetaRow(step, warmUp, deltaOfBefore, periodNs));
    }
  }
}
