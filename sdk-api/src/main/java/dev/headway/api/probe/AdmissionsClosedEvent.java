package dev.headway.api.probe;

import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * A decision: the reason for which the admissions of a step ended, with requests left waiting, has
 * changed. Every waiting request without an individual reason waits for this one, in this step and
 * the following.
 */
public interface AdmissionsClosedEvent extends ProbeEvent {

  /** Why admissions ended. */
  WaitReason reason();

  /** The head of the queue that was refused, for {@link WaitReason#HEAD_OF_LINE}; else null. */
  @Nullable RequestView blocker();
}
