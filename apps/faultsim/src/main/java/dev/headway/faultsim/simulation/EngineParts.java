package dev.headway.faultsim.simulation;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.executor.Executor;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.policy.Policies;
import dev.headway.api.probe.Probe;
import dev.headway.api.time.NanoClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a scenario gives to the engine. Valid for one run. */
public final class EngineParts {

  private final long seed;
  private final Drawn drawn;
  private final Executor executor;
  private final NanoClock clock;
  private final List<Probe> probes;
  private final CheckedKvCache cache;
  private final @Nullable KvConnector connector;

  EngineParts(
      long seed,
      Drawn drawn,
      Executor executor,
      NanoClock clock,
      List<Probe> probes,
      CheckedKvCache cache,
      @Nullable KvConnector connector) {
    this.connector = connector;
    this.seed = seed;
    this.drawn = drawn;
    this.executor = executor;
    this.clock = clock;
    this.probes = List.copyOf(probes);
    this.cache = cache;
  }

  /** The seed of the scenario. */
  public long seed() {
    return seed;
  }

  /** Whether the scenario has a feature. */
  public boolean has(Feature feature) {
    return drawn.has(feature);
  }

  /** The settings. */
  public SchedulerConfig config() {
    return drawn.config();
  }

  /** The executor, with its faults. */
  public Executor executor() {
    return executor;
  }

  /** The clock; time passes when the simulation says so. */
  public NanoClock clock() {
    return clock;
  }

  /** Where KV comes from and goes to outside the engine, or null. */
  public @Nullable KvConnector kvConnector() {
    return connector;
  }

  /** The probes, in order: the first one checks, others are faulty. */
  public List<Probe> probes() {
    return probes;
  }

  /** Names of policies with their options. */
  public Map<String, Map<String, String>> policyNames() {
    return drawn.policyNames();
  }

  /** Policies of a user. */
  public Policies policies() {
    return drawn.policies();
  }

  /** Most requests in the submission queue. */
  public int submissionQueueCapacity() {
    return drawn.submissionQueueCapacity();
  }

  /** Longest time of a step. */
  public Duration executorTimeout() {
    return Duration.ofNanos(Drawn.EXECUTOR_TIMEOUT_NS);
  }

  /** Whether the engine is to end when its executor fails. */
  public boolean stopsOnExecutorFailure() {
    return drawn.stopsOnFailure();
  }

  /**
   * Puts a check in front of a KV cache; without it the conservation of blocks is not checked.
   *
   * @return what the engine must use in its place
   */
  public KvCacheManager checked(KvCacheManager kvCache) {
    return cache.inFrontOf(kvCache);
  }
}
