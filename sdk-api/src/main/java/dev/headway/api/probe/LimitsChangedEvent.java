package dev.headway.api.probe;

import dev.headway.api.config.EngineLimits;

/**
 * The limits of the engine were changed, at {@link #atNs()}: the next step is the first that is
 * planned with the new ones. The limits may be kept.
 */
public interface LimitsChangedEvent extends ProbeEvent {

  /** The limits up to now. */
  EngineLimits oldLimits();

  /** The limits from now on. */
  EngineLimits newLimits();
}
