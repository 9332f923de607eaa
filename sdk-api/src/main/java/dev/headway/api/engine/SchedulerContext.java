package dev.headway.api.engine;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.policy.Policies;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.time.NanoClock;
import org.jspecify.annotations.Nullable;

/** Input to {@link SchedulerFactory#create}. Everything in it lives as long as the engine. */
public interface SchedulerContext {

  /** The engine's settings; they fit the executor. */
  SchedulerConfig config();

  /** What the executor can hold; token ids must be below its {@code vocabularySize}. */
  ExecutorShape executorShape();

  /** The cache; the scheduler takes ownership of it. */
  KvCacheManager kvCache();

  /**
   * The probe to notify of every decision, on the engine thread, through {@link SchedulerEvents}.
   * It never throws.
   */
  Probe probe();

  /** The clock for everything that the scheduler stamps. */
  NanoClock clock();

  /**
   * The decisions replaced by the user; a scheduler that does not make such a decision ignores the
   * policy.
   */
  Policies policies();

  /**
   * Where KV comes from and goes to outside the engine, or null. An engine refuses a connector if
   * its scheduler does not follow it, see {@code Scheduler.followsConnector}.
   */
  default @Nullable KvConnector kvConnector() {
    return null;
  }
}
