package dev.headway.api.engine;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.policy.Policies;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.time.NanoClock;

/** Input to {@link SchedulerFactory#create}. Everything in it lives as long as the engine. */
public interface SchedulerContext {

  /** The engine's settings; they fit the executor. */
  SchedulerConfig config();

  /** What the executor can hold; token ids must be below its {@code vocabularySize}. */
  ExecutorShape executorShape();

  /** The cache that the scheduler owns from now on. */
  KvCacheManager kvCache();

  /**
   * Is to be notified of every decision, on the engine thread: see {@link SchedulerEvents}, which
   * makes the events. It never throws.
   */
  Probe probe();

  /** The clock for everything that the scheduler stamps. */
  NanoClock clock();

  /** The decisions that the user has replaced; a scheduler without these decisions ignores them. */
  Policies policies();
}
