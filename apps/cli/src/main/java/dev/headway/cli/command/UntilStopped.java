package dev.headway.cli.command;

import java.util.concurrent.CountDownLatch;

/** How a command that serves ends: by a signal, or by an interrupt where it is run in a program. */
public final class UntilStopped {

  private UntilStopped() {}

  /**
   * Waits, and has {@code stop} run once: by the JVM as it shuts down, or by this thread when it is
   * interrupted, which then returns with its interrupt status set.
   *
   * @param thread the name of the thread that stops at shutdown
   * @param announce tells that it serves; a program that reads it may stop it at once
   */
  public static void await(String thread, Runnable stop, Runnable announce) {
    final Thread hook = new Thread(stop, thread);
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      announce.run();
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      if (isWithdrawn(hook)) {
        stop.run();
      }
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isWithdrawn(Thread hook) {
    try {
      return Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) { // the JVM shuts down: the hook runs
      return false;
    }
  }
}
