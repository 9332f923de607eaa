package dev.headway.routing.core;

import org.jspecify.annotations.Nullable;

/**
 * A worker to be added.
 *
 * @param id unique in the router
 * @param url its address; empty for an engine in this process
 * @param model the model it serves; null for any
 * @param priority how much it should get relative to others, >= 1
 * @param cost what its work costs relative to others, > 0
 */
public record WorkerSpec(String id, String url, @Nullable String model, int priority, double cost) {

  /** The priority of workers that have none. */
  public static final int DEFAULT_PRIORITY = 50;

  /** The cost of workers that have none. */
  public static final double DEFAULT_COST = 1.0;

  /** Checks. */
  public WorkerSpec {
    if (id.isBlank()) {
      throw new IllegalArgumentException("a worker must have an id: id='" + id + "'");
    }
    if (priority < 1) {
      throw new IllegalArgumentException(
          "priority of a worker must be >= 1: worker=" + id + ", priority=" + priority);
    }
    if (!(cost > 0 && cost < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "cost of a worker must be > 0: worker=" + id + ", cost=" + cost);
    }
  }

  /** A worker of usual weight that serves any model. */
  public static WorkerSpec of(String id, String url) {
    return new WorkerSpec(id, url, null, DEFAULT_PRIORITY, DEFAULT_COST);
  }
}
