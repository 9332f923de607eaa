package dev.headway.routing.policy;

import java.util.Locale;

/** How a policy came to its choice. */
public enum RoutingBranch {
  /** Drawn at random. */
  RANDOM,
  /** The next in turn. */
  RR_NEXT,
  /** The first of two drawn at random had no more load. */
  P2C_LEFT,
  /** The second of two drawn at random had less load. */
  P2C_RIGHT,
  /** The least load of all. */
  LEAST_LOAD,
  /** Most of the prompt is believed to be cached there. */
  CACHE_HIT,
  /** Too little of the prompt is cached anywhere: the least load. */
  CACHE_MISS_MINLOAD,
  /** Loads are too uneven for the cache to decide. */
  IMBALANCE_MINLOAD,
  /** The worker that owns the request's place on the ring. */
  RING_HIT,
  /** That worker has too much load: the next on the ring. */
  RING_OVERLOAD,
  /** The worker that the request's key had before. */
  STICKY_HIT,
  /** The key had none: one was assigned. */
  STICKY_NEW,
  /** The bucket of the prompt's length. */
  BUCKET,
  /** The least cost of computing what is not cached, and of what runs there. */
  KV_OVERLAP,
  /** The greatest weighted score. */
  SCORE,
  /** The least predicted time to the first token. */
  PREDICTED,
  /** The policy lacks what it needs to decide, for example a key. */
  FALLBACK,
  /** No worker could take the request. */
  NO_HEALTHY;

  /** The name in files and headers, for example {@code cache_hit}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
