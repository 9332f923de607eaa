package dev.headway.probes.otel.run;

import static dev.headway.probes.chronicle.record.JournalVisitor.ABSENT;

import dev.headway.probes.chronicle.record.JournalVisitor.CompletedStep;
import dev.headway.probes.chronicle.record.JournalVisitor.PlannedStep;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Planned steps that wait for their completion. One thread; memory grows with the steps in flight,
 * of which an engine has a handful and a journal with missing records at most {@value #MOST}.
 */
public final class StepsInFlight {

  private static final int MOST = 64;

  private final Deque<StepFrame> frames = new ArrayDeque<>();
  private long previousEndNs = ABSENT;

  /** No step is in flight. */
  public StepsInFlight() {}

  /** A completed step. */
  public record Completion(StepFrame frame, StepTimes times) {}

  /** A step was planned. */
  public StepFrame planned(PlannedStep step) {
    // a step begun before the one before it ended has no gap
    final long gapNs = frames.isEmpty() ? StepFrame.gap(previousEndNs, step.beginNs()) : ABSENT;
    final StepFrame frame = new StepFrame(step, gapNs);
    frames.addLast(frame);
    if (frames.size() > MOST) {
      frames.removeFirst();
    }
    return frame;
  }

  /** A step is done; null if its plan is missing. */
  public @Nullable Completion completed(CompletedStep step) {
    StepFrame frame = frames.pollFirst();
    while (frame != null && frame.stepId() < step.stepId()) {
      frame = frames.pollFirst(); // steps complete in order: its completion is missing
    }
    previousEndNs = step.endNs();
    if (frame == null || frame.stepId() != step.stepId()) {
      if (frame != null) {
        frames.addFirst(frame);
      }
      return null;
    }
    return new Completion(frame, StepTimes.of(frame, step));
  }

  /** Whether nothing more can come of a step for its requests. */
  public boolean isSettled(long stepId) {
    final StepFrame first = frames.peekFirst();
    return first == null || first.stepId() > stepId;
  }

  /** A new run. */
  public void reset() {
    frames.clear();
    previousEndNs = ABSENT;
  }
}
