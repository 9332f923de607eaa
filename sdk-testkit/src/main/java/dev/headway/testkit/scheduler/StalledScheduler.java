package dev.headway.testkit.scheduler;

import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.Scheduler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * Schedulers that accept requests, say that they run, and schedule nothing: as one of a user's that
 * waits for something outside.
 */
public final class StalledScheduler {

  private StalledScheduler() {}

  /** Stalls a scheduler, which is paused and answers all but its pause state. */
  public static Scheduler of(Scheduler scheduler) {
    scheduler.setPauseState(PauseState.PAUSED);
    return (Scheduler)
        Proxy.newProxyInstance(
            Scheduler.class.getClassLoader(),
            new Class<?>[] {Scheduler.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("pauseState")) {
                return PauseState.RUNNING;
              }
              try {
                return method.invoke(scheduler, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
