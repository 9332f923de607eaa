package dev.headway.api.engine;

import dev.headway.api.schedule.Scheduler;

/**
 * Makes the scheduler of an engine.
 *
 * {@snippet :
 * HeadwayEngine.builder(executor).scheduler(MyScheduler::new).build();
 * }
 */
@FunctionalInterface
public interface SchedulerFactory {

  /**
   * Makes a scheduler; called once by the engine's builder, on its thread, when the cache and the
   * probes exist.
   *
   * @return a new scheduler, used by this engine only
   */
  Scheduler create(SchedulerContext context);
}
