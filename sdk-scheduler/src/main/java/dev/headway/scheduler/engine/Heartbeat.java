package dev.headway.scheduler.engine;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What the engine thread is doing, and when requests last made progress. Written by the engine
 * thread, two or three plain stores per step and no reading of a clock; read by any thread.
 */
final class Heartbeat {

  /** Where the engine thread is. */
  enum Place {
    RESTING("nothing that it could do: no request can be scheduled"),
    TAKING_IN("taking in submissions and commands"),
    PLANNING("the scheduler, a policy or a probe, while a step is planned"),
    IN_EXECUTOR("the executor"),
    COMPLETING("a listener or a probe, while a step is completed"),
    /** It was in the executor when the engine was closed without it. */
    ABANDONED("the executor");

    final String text;

    Place(String text) {
      this.text = text;
    }
  }

  /** The engine was closed while this thread was in the executor: nothing may be touched. */
  static final class Abandoned extends RuntimeException {
    private static final long serialVersionUID = 1;

    Abandoned() {
      super("the engine was closed while the executor did not return");
    }
  }

  private final AtomicReference<Place> place = new AtomicReference<>(Place.RESTING);
  private final AtomicLong progressNs;

  Heartbeat(long nowNs) {
    progressNs = new AtomicLong(nowNs);
  }

  void enter(Place next) {
    place.lazySet(next);
  }

  /**
   * The executor has returned.
   *
   * @throws Abandoned if the engine was closed meanwhile
   */
  void leaveExecutor() {
    if (!place.compareAndSet(Place.IN_EXECUTOR, Place.COMPLETING)) {
      throw new Abandoned();
    }
  }

  /**
   * Takes the engine away from a thread that is in the executor. Any thread.
   *
   * @return whether it was there; the caller then has the scheduler and the probes for itself
   */
  boolean abandon() {
    return place.compareAndSet(Place.IN_EXECUTOR, Place.ABANDONED);
  }

  void progressed(long nowNs) {
    progressNs.lazySet(nowNs);
  }

  Place place() {
    return place.get();
  }

  long progressNs() {
    return progressNs.get();
  }
}
