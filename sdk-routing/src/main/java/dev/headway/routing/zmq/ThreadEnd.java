package dev.headway.routing.zmq;

/** Waits for the end of threads that are stopping. */
public final class ThreadEnd {

  private static final long MOST_MS = 5_000;

  private ThreadEnd() {}

  /** Waits 5 s at most, or until the caller is interrupted, which stays so. */
  public static void await(Thread thread) {
    try {
      thread.join(MOST_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
