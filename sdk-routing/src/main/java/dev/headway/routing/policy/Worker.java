package dev.headway.routing.policy;

import org.jspecify.annotations.Nullable;

/**
 * A server as a router sees it: one object from the time it is added until it is removed, equal to
 * itself only, so that policies can keep state by it.
 *
 * <p>Counts may be read from any thread; inside a decision they do not change.
 */
public interface Worker {

  /** Its id, unique in the router. */
  String id();

  /** Position in the order in which workers were added, from 0; never used again. */
  int index();

  /** Its address; empty for an engine in this process. */
  String url();

  /** The model it serves; null for any. */
  @Nullable String model();

  /** How much it should get relative to others, 50 unless set. */
  int priority();

  /** What its work costs relative to others, 1.0 unless set. */
  double cost();

  /** Requests routed to it that have not ended, counted from the decision on. */
  int inFlight();

  /** Requests ever routed to it. */
  long dispatched();

  /** What it last reported of itself; null if nothing was. */
  @Nullable WorkerLoad load();

  /**
   * Prompt tokens of requests routed to it after the moment that {@link #load} describes: what a
   * report cannot know yet. Those that ended meanwhile are counted too.
   */
  long unreportedTokens();

  /** Whether it takes no new requests because it is to be removed. */
  boolean isDraining();

  /**
   * In-flight requests by the weight of the worker: {@code inFlight / ((priority / 50) / cost)}.
   */
  default double effectiveLoad() {
    return inFlight() * cost() * 50 / priority();
  }
}
