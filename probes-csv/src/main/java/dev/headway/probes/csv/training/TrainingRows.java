package dev.headway.probes.csv.training;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepTimeline;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the rows of one run. A step's row waits for the next step, which ends its period: with its
 * begin, or where it began while the step was in flight, with the step's output. Planning of steps
 * that overlap says nothing of their time: with two in flight, what passes between the begins of
 * one and the next is what the step before both takes.
 */
final class TrainingRows {

  private static final int WARM_UP_STEPS = 10;

  private final RunTimeline run;
  private final Consumer<AlphaRow> alpha;
  private final Consumer<BetaRow> beta;
  private final Map<RequestTimeline, QueueState> found = new LinkedHashMap<>();
  private final MovingMean stepNs = new MovingMean();
  private final MovingMean arrivalGapNs = new MovingMean();
  private long latestArrivalNs = ABSENT;
  private long latestAdmissionNs = ABSENT;
  private long latestNs;
  private long steps;
  private @Nullable StepTimeline before;
  private int deltaOfBefore;
  private long beforeFromNs;
  private boolean aliveAfterBefore;

  TrainingRows(RunTimeline run, Consumer<AlphaRow> alpha, Consumer<BetaRow> beta) {
    this.run = run;
    this.alpha = alpha;
    this.beta = beta;
  }

  /** Whether there is something to learn from a step. */
  static boolean hasRow(StepTimeline step) {
    return step.wasExecuted() && step.areEntriesKnown() && step.plan().totalTokens() > 0;
  }

  void queued(RequestTimeline request) {
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

  void scheduled(RequestTimeline request) {
    latestAdmissionNs = request.firstScheduledNs();
    write(request, request.firstScheduledNs());
  }

  void ended(RequestTimeline request, long nowNs) {
    latestNs = Math.max(latestNs, nowNs);
    write(request, nowNs);
  }

  void step(StepTimeline step) {
    final StepTimeline earlier = before;
    int delta = step.plan().batchSize();
    long fromNs = step.plan().beginNs();
    if (earlier != null) {
      final boolean follows = step.plan().stepId() == earlier.plan().stepId() + 1;
      final boolean overlaps = follows && fromNs < earlier.endNs();
      if (overlaps && earlier.outputNs() != ABSENT) {
        fromNs = earlier.outputNs();
      }
      final boolean busy = overlaps || (follows && aliveAfterBefore);
      if (busy) {
        stepNs.add(step.periodNs());
      }
      write(earlier, busy ? fromNs - beforeFromNs : ABSENT);
      delta -= earlier.plan().batchSize();
    }
    before = step;
    beforeFromNs = fromNs;
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

  private void write(RequestTimeline request, long endNs) {
    final QueueState state = found.remove(request);
    if (state != null) {
      alpha.accept(new AlphaRow(run, request, state, endNs));
    }
  }

  private void write(StepTimeline step, long periodNs) {
    final boolean warmUp = steps++ < WARM_UP_STEPS;
    if (hasRow(step)) {
      beta.accept(new BetaRow(step, warmUp, deltaOfBefore, periodNs));
    }
  }
}
