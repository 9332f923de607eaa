package dev.headway.benchmarks;

import com.sun.management.ThreadMXBean;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicySpec;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.kvcache.BlockHasher;
import dev.headway.kvcache.KvCacheManagers;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.scheduler.policy.PolicyLoader;
import dev.headway.scheduler.time.VirtualClock;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler with an executor that answers at once, driven step by step. No engine, no clock: what
 * is left is scheduling.
 */
final class SchedulerLoop implements OutputListener {

  static final int BLOCK_SIZE = 16;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  final ContinuousBatchingScheduler scheduler;
  private final StepOutput output = new StepOutput();
  private final SchedulerEvents events;
  final VirtualClock clock = new VirtualClock();
  private int ids;
  private int nextToken;
  long finished;
  long computedTokens;

  SchedulerLoop(SchedulerConfig config, int numBlocks, Probe probe) {
    this(config, numBlocks, probe, "");
  }

  /** With policies as {@link PolicySpec} reads them; "" for none. */
  SchedulerLoop(SchedulerConfig config, int numBlocks, Probe probe, String policies) {
    this.events = new SchedulerEvents(probe);
    final KvCacheShape shape =
        KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(numBlocks).build();
    final KvCacheManager kv =
        KvCacheManagers.builder(shape, config.limits().maxModelLen())
            .prefixCache(config.prefixCache())
            .speculation(config.speculation())
            .hasher(BlockHasher.fixedKey(1, 2))
            .listener(probe)
            .build();
    scheduler =
        ContinuousBatchingScheduler.builder(config, kv)
            .probe(probe)
            .clock(clock)
            .policies(policiesOf(policies, config, shape))
            .build();
  }

  private static Policies policiesOf(String spec, SchedulerConfig config, KvCacheShape shape) {
    return new PolicyLoader(SchedulerLoop.class.getClassLoader())
        .create(PolicySpec.parse(spec), new PolicyContext(config, shape, Map.of()));
  }

  static SchedulerConfig config(int maxNumSeqs, int maxNumBatchedTokens, int maxModelLen) {
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(maxNumSeqs)
                .maxNumBatchedTokens(maxNumBatchedTokens)
                .maxModelLen(maxModelLen)
                .build())
        .build();
  }

  /** Adds a request whose prompt shares nothing with any other. */
  RequestView add(int promptTokens, int maxTokens) {
    final int id = ids++;
    final int[] prompt = new int[promptTokens];
    for (int i = 0; i < promptTokens; i++) {
      prompt[i] = (id * 31 + i) & 0xffff;
    }
    prompt[0] = id;
    return add(prompt, maxTokens);
  }

  RequestView add(int[] prompt, int maxTokens) {
    return add(Request.builder("r" + ids++, prompt).maxTokens(maxTokens).build());
  }

  RequestView add(Request request) {
    return scheduler.add(request, this, clock.nanoTime());
  }

  /** One step: schedule, answer every sampling entry, update. */
  int step() {
    final StepPlan plan = scheduler.schedule();
    final int size = plan.size();
    computedTokens += plan.totalTokens();
    output.begin(plan.stepId(), size);
    for (int entry = 0; entry < size; entry++) {
      if (plan.samples(entry)) {
        output.addToken(entry, nextToken++ & 0xffff);
      }
    }
    scheduler.complete(plan, output);
    events.stepCompleted(plan, output, 0, 0, 0, null);
    return size;
  }

  static long allocatedBytes() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }

  @Override
  public void onTokens(RequestView request, int count, long nowNs) {}

  @Override
  public void onFinished(
      RequestView request,
      FinishReason reason,
      long stopTokenId,
      @Nullable Throwable cause,
      long nowNs) {
    finished++;
  }
}
