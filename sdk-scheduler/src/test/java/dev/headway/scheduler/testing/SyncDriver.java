package dev.headway.scheduler.testing;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.policy.Policies;
import dev.headway.api.probe.Probe;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.time.ClockAnchor;
import dev.headway.api.time.NanoClock;
import dev.headway.kvcache.BlockHasher;
import dev.headway.kvcache.KvCacheManagers;
import dev.headway.kvcache.PooledKvCache;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A scheduler with its cache, driven step by step: the loop of an engine without the engine. */
public final class SyncDriver {

  /** Answers a plan. */
  public interface Answer {

    /** Fills {@code output}, which is empty. */
    void fill(StepPlan plan, StepOutput output);
  }

  private final PooledKvCache kv;
  private final ContinuousBatchingScheduler scheduler;
  private final StepOutput output = new StepOutput();
  private final Ticks clock = new Ticks();
  private boolean closesGate;

  /** Makes both; hashes are the same in every run. */
  public SyncDriver(SchedulerConfig config, KvCacheShape shape, int vocabularySize, Probe probe) {
    this(config, shape, vocabularySize, probe, Policies.NONE);
  }

  /** Makes both, with policies. */
  public SyncDriver(
      SchedulerConfig config,
      KvCacheShape shape,
      int vocabularySize,
      Probe probe,
      Policies policies) {
    this(config, shape, vocabularySize, probe, policies, kv -> kv, null);
  }

  /** Makes both, the cache behind another, and a KV connector. */
  public SyncDriver(
      SchedulerConfig config,
      KvCacheShape shape,
      int vocabularySize,
      Probe probe,
      Policies policies,
      UnaryOperator<KvCacheManager> front,
      @Nullable KvConnector connector) {
    kv =
        shape.groups().size() > 1
            ? groups(config, shape, probe)
            : KvCacheManagers.builder(shape, config.limits().maxModelLen())
                .prefixCache(config.prefixCache())
                .speculation(config.speculation())
                .compatibility(config.compatibility())
                .offload(config.kvOffload())
                .hasher(BlockHasher.fixedKey(1, 2))
                .listener(probe)
                .build();
    scheduler =
        ContinuousBatchingScheduler.builder(config, front.apply(kv))
            .vocabularySize(vocabularySize)
            .probe(probe)
            .clock(clock)
            .policies(policies)
            .kvConnector(connector)
            .prefillGate(stepId -> !closesGate)
            .build();
  }

  private static PooledKvCache groups(SchedulerConfig config, KvCacheShape shape, Probe probe) {
    return KvCacheManagers.builder(shape, config.limits().maxModelLen())
        .maxInFlightTokens(config.inFlightTokenLimit())
        .prefixCache(config.prefixCache())
        .speculation(config.speculation())
        .compatibility(config.compatibility())
        .hasher(BlockHasher.fixedKey(1, 2))
        .listener(probe)
        .build();
  }

  /** The cache. */
  public PooledKvCache kv() {
    return kv;
  }

  /** The scheduler. */
  public ContinuousBatchingScheduler scheduler() {
    return scheduler;
  }

  /** A new instant, later than all before. */
  public long tick() {
    return clock.nanoTime();
  }

  /** Plans a step. */
  public StepPlan schedule() {
    closesGate = false;
    return scheduler.schedule();
  }

  /** Plans a step whose prefill gate is closed. */
  public StepPlan scheduleThrottled() {
    closesGate = true;
    return scheduler.schedule();
  }

  /** Completes a step. */
  public void update(StepPlan plan, Answer answer) {
    output.begin(plan.stepId(), plan.size());
    answer.fill(plan, output);
    scheduler.complete(plan, output);
  }

  /** Each reading is a new instant. */
  private static final class Ticks implements NanoClock {

    private long nowNs;

    @Override
    public long nanoTime() {
      return ++nowNs;
    }

    @Override
    public void sleepUntil(long deadlineNs) {
      throw new UnsupportedOperationException("nothing sleeps here");
    }

    @Override
    public ClockAnchor anchor() {
      return new ClockAnchor(0, 0, 0);
    }

    @Override
    public boolean isVirtual() {
      return true;
    }
  }
}
