package dev.headway.scheduler.core;

import dev.headway.scheduler.encoder.EncoderCache;
import java.util.Objects;

/** Lets tests of other packages look into a scheduler's encoder cache. */
public final class EncoderCaches {

  private EncoderCaches() {}

  /** The cache of a scheduler that has an encoder. */
  public static EncoderCache of(ContinuousBatchingScheduler scheduler) {
    return Objects.requireNonNull(scheduler.inspect().encoderCache(), "an encoder");
  }
}
