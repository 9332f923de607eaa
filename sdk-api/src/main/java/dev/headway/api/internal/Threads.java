package dev.headway.api.internal;

/** Waits for threads. */
public final class Threads {

  private Threads() {}

  /**
   * Returns once a thread has ended. Any other thread; an interrupt does not end the wait, and
   * stays set.
   */
  public static void awaitEnd(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
