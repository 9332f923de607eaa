package dev.headway.probes.otel.run;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.StepsInFlight;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.PlannedStep;
import org.jspecify.annotations.Nullable;

/** Steps in flight, and the gaps between those that do not overlap. One thread. */
public final class StepFrames {

  private final StepsInFlight<StepFrame> inFlight = new StepsInFlight<>(lost -> {});
  private long previousEndNs = ABSENT;

  /** No step is in flight. */
  public StepFrames() {}

  /** A completed step. */
  public record Completion(StepFrame frame, StepTimes times) {}

  /** A step was planned. */
  public void planned(PlannedStep step) {
    // a step begun before the one before it ended has no gap
    final long gapNs = inFlight.isEmpty() ? StepFrame.gap(previousEndNs, step.beginNs()) : ABSENT;
    inFlight.planned(step.stepId(), new StepFrame(step, gapNs));
  }

  /** A step is done; null if its plan is missing. */
  public @Nullable Completion completed(CompletedStep step) {
    final StepFrame frame = inFlight.completed(step.stepId());
    previousEndNs = step.endNs();
    return frame == null ? null : new Completion(frame, StepTimes.of(frame, step));
  }

  /** Whether nothing more can come of a planned step for its requests. */
  public boolean isSettled(long stepId) {
    return inFlight.isSettled(stepId);
  }

  /** A new run. */
  public void reset() {
    inFlight.giveUp();
    previousEndNs = ABSENT;
  }
}
