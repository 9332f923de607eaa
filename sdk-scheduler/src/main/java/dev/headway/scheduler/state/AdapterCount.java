package dev.headway.scheduler.state;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many requests of a LoRA adapter run and wait. Changed by the engine thread; any thread may
 * read it, each figure as of some recent moment.
 */
public final class AdapterCount {

  private final String name;
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();

  /** Starts with no requests. */
  public AdapterCount(String name) {
    this.name = name;
  }

  /** Name of the adapter. */
  public String name() {
    return name;
  }

  /** Requests that run. */
  public int running() {
    return running.get();
  }

  /** Requests that wait. */
  public int waiting() {
    return waiting.get();
  }

  /** A waiting request runs. */
  public void started() {
    add(1, -1);
  }

  /** A running request waits. */
  public void stopped() {
    add(-1, 1);
  }

  /** Adds to both; negative figures take away. */
  public void add(int moreRunning, int moreWaiting) {
    running.addAndGet(moreRunning);
    waiting.addAndGet(moreWaiting);
  }

  /** Whether it has no requests. */
  public boolean isEmpty() {
    return running.get() == 0 && waiting.get() == 0;
  }
}
