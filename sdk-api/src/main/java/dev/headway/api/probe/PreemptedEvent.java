package dev.headway.api.probe;

import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import org.jspecify.annotations.Nullable;

/**
 * A decision: a running request was preempted, back into the waiting queue. In a cache reset it
 * takes effect at the instant of the {@link CacheResetEvent} before it.
 */
public interface PreemptedEvent extends RequestEvent {

  /** Why. */
  PreemptionCause cause();

  /**
   * The request that gets its blocks or its seat; the preempted request itself if it was the one
   * short of blocks, null in a cache reset.
   */
  @Nullable RequestView beneficiary();

  /** Computed tokens discarded; cached blocks may restore some. */
  int lostTokens();

  /** KV blocks it released. */
  int freedBlocks();

  /**
   * KV blocks that the beneficiary lacked before this preemption; 0 for a seat and in a cache
   * reset. More than {@link #freedBlocks()} means that another preemption follows.
   */
  default int missingBlocks() {
    return 0;
  }
}
