package dev.headway.api.probe;

import dev.headway.api.schedule.ResetScope;

/** A prefix-cache reset begins, at {@link #atNs()}; preemptions and a cleared cache follow. */
public interface CacheResetEvent extends ProbeEvent {

  /** What the reset may affect. */
  ResetScope scope();
}
