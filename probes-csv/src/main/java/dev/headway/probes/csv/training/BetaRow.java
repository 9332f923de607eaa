package dev.headway.probes.csv.training;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.step.StepFeatures;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepEntries;
import dev.headway.events.model.StepTimeline;

/** A step with its features, those that a latency model predicts with. */
final class BetaRow {

  final StepTimeline step;
  final boolean warmUp;
  final int batchDelta;
  final long periodNs;
  final StepFeatures features = new StepFeatures();

  BetaRow(StepTimeline step, boolean warmUp, int batchDelta, long periodNs) {
    this.step = step;
    this.warmUp = warmUp;
    this.batchDelta = batchDelta;
    this.periodNs = periodNs;
    final int resumed = step.changes().resumed();
    step.entries().addTo(features);
    features.addSampling(samplingRequests(step.entries()));
    features.addTransfers(step.savedBlocks(), step.loadedBlocks());
    features.addAdmissions(step.changes().admitted().size() - resumed, resumed);
  }

  /** An entry that samples gets a token, unless its request ended meanwhile. */
  private static int samplingRequests(StepEntries entries) {
    int count = 0;
    for (int entry = 0; entry < entries.size(); entry++) {
      count += entries.producedTokens(entry) > 0 ? 1 : 0;
    }
    return count;
  }

  RunTimeline run() {
    return step.run();
  }

  /**
   * The forward pass as the executor timed it, or from hand-over to output; absent where the latter
   * has another step in it.
   */
  long forwardNs() {
    return step.isOverlapped() ? step.timedForwardNs() : step.forwardNs();
  }

  /**
   * What of a step is neither the executor's forward pass nor idle; absent if a part is, or if
   * another step was in flight, which from begin to end has its part.
   */
  long hostNs() {
    if (step.isOverlapped()) {
      return ABSENT;
    }
    final long scheduleNs = step.plan().scheduleNs();
    return step.wasExecuted()
        ? step.endNs() - step.plan().beginNs() - step.forwardNs()
        : scheduleNs;
  }

  /** From the output to its being taken over. */
  long updateNs() {
    return step.outputNs() == ABSENT ? ABSENT : step.endNs() - step.outputNs();
  }
}
