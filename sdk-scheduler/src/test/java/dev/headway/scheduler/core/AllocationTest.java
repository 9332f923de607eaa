package dev.headway.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.ChunkedMmInput;
import dev.headway.api.config.EncoderOptions;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.policy.Policies;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.policy.capacity.Optimistic;
import dev.headway.scheduler.policy.order.HighestResponseRatio;
import dev.headway.scheduler.policy.tokens.ItlBudget;
import dev.headway.scheduler.policy.tokens.LinearStepTime;
import dev.headway.scheduler.policy.victim.VictimBy;
import dev.headway.scheduler.testing.SyncDriver;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A warm step allocates nothing, preemptions and resumptions included. Blocks are so few that
 * requests give way again and again; what ends is replaced between steps, outside the measurement.
 *
 * <p>The JVM allocates on this thread too: where compiled code first falls back to the interpreter
 * it resolves the texts of messages that are never thrown, some 500 bytes each time, and the sooner
 * the longer compilation takes. Each text once: so most windows of a run have nothing at all, and
 * what is allocated by every so many steps would be in all of them.
 */
class AllocationTest {

  private static final int WARM_UP_STEPS = 30_000;
  private static final int WINDOWS = 10;
  private static final int STEPS_PER_WINDOW = 10_000;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @ParameterizedTest
  @CsvSource({"FCFS, true", "FCFS, false", "PRIORITY, true", "PRIORITY, false"})
  void shouldAllocateNothingInWarmSteps(QueuePolicy policy, boolean caching) {
    final PrefixCacheOptions prefixCache =
        caching ? PrefixCacheOptions.DEFAULT : PrefixCacheOptions.disabled();
    assertAllocatesNothing(
        new Load(
            settings -> settings.queuePolicy(policy).prefixCache(prefixCache), Policies.NONE, 1));
  }

  @Test
  void shouldAllocateNothingWithDraftsAndAnotherStepOut() {
    assertAllocatesNothing(
        new Load(
            settings ->
                settings
                    .speculation(SpeculationOptions.of(SpeculativeMethod.EAGLE, 3))
                    .pipeline(PipelineOptions.ASYNC),
            Policies.NONE,
            2));
  }

  @Test
  void shouldAllocateNothingWithPolicies() {
    final Policies policies =
        Policies.builder()
            .order(new HighestResponseRatio())
            .victim(VictimBy.LEAST_COMPUTED)
            .capacity(new Optimistic())
            .budget(new ItlBudget(1_000_000_000, 16))
            .stepTime(LinearStepTime.learning())
            .build();

    assertAllocatesNothing(new Load(settings -> settings, policies, 1));
  }

  /** What the device gives up is saved in most steps, and loaded when its request goes on. */
  @ParameterizedTest
  @CsvSource({"100", "2000"})
  void shouldAllocateNothingWithAHostTier(int hostBlocks) {
    final Load given =
        new Load(
            settings -> settings.kvOffload(new KvOffloadOptions(hostBlocks)), Policies.NONE, 1);

    assertAllocatesNothing(given);

    final SchedulerStats stats = given.driver.scheduler().stats();
    assertThat(stats.savedBlocks()).as("saved blocks").isGreaterThan(10_000);
    assertThat(stats.loadedBlocks()).as("loaded blocks").isGreaterThan(10_000);
  }

  /** Items are encoded, kept and dropped in many steps. */
  @Test
  void shouldAllocateNothingWithItems() {
    final EncoderOptions encoder = new EncoderOptions(4, 8, 16, ChunkedMmInput.ENABLED);
    final Load given = new Load(settings -> settings.encoder(encoder), Policies.NONE, 1);
    given.items = true;

    assertAllocatesNothing(given);

    assertThat(given.encoded).as("items encoded").isGreaterThan(1_000);
  }

  private static void assertAllocatesNothing(Load given) {
    given.run(WARM_UP_STEPS);
    final SchedulerStats before = given.driver.scheduler().stats();

    final long[] allocated = new long[WINDOWS];
    for (int window = 0; window < WINDOWS; window++) {
      allocated[window] = given.run(STEPS_PER_WINDOW);
    }

    final SchedulerStats after = given.driver.scheduler().stats();
    assertThat(after.preemptions() - before.preemptions()).as("preemptions").isGreaterThan(1_000);
    final String what =
        "bytes in windows of %d steps: %s".formatted(STEPS_PER_WINDOW, Arrays.toString(allocated));
    assertThat(Arrays.stream(allocated).min().orElseThrow()).as(what).isZero();
    assertThat(Arrays.stream(allocated).sum()).as(what).isLessThan(STEPS_PER_WINDOW);
  }

  /** Sixteen requests in a pool for about ten. */
  private static final class Load implements OutputListener {
    private final SyncDriver driver;
    private final StepOutput output = new StepOutput();
    private final StepPlan[] out;
    private int outCount;
    private int live;
    private int added;
    private boolean fresh;
    private boolean items;
    private long encoded;

    Load(UnaryOperator<SchedulerConfig.Builder> settings, Policies policies, int stepsInFlight) {
      final SchedulerConfig.Builder config =
          SchedulerConfig.builder(
                  SchedulerLimits.builder()
                      .maxNumSeqs(16)
                      .maxNumBatchedTokens(64)
                      .maxModelLen(256)
                      .build())
              .admission(new AdmissionOptions(FullSequenceGate.NEXT_CHUNK, 0));
      driver =
          new SyncDriver(
              settings.apply(config).build(),
              KvCacheShape.builder().blockSize(4).blocks(400).build(),
              1_000,
              new Probe() {},
              policies);
      out = new StepPlan[stepsInFlight];
    }

    /** Runs steps; returns the bytes allocated by those that admitted nobody for the first time. */
    long run(int steps) {
      long allocated = 0;
      int counted = 0;
      while (counted < steps) {
        fresh = false;
        while (live < 20) {
          add();
        }
        final long before = THREADS.getCurrentThreadAllocatedBytes();
        step();
        final long bytes = THREADS.getCurrentThreadAllocatedBytes() - before;
        if (!fresh) {
          allocated += bytes;
          counted++;
        }
      }
      return allocated;
    }

    private void step() {
      out[outCount++] = driver.schedule();
      encoded += out[outCount - 1].encoderInputs().embeddings() > 0 ? 1 : 0;
      for (int entry = 0; entry < out[outCount - 1].size(); entry++) {
        // the first admission of a request makes room for all its outputs
        fresh |= out[outCount - 1].kind(entry) == EntryKind.NEW;
      }
      if (outCount == out.length) {
        update(out[0]);
        System.arraycopy(out, 1, out, 0, --outCount);
      }
    }

    private void update(StepPlan plan) {
      output.begin(plan.stepId(), plan.size());
      for (int entry = 0; entry < plan.size(); entry++) {
        if (plan.samples(entry)) {
          output.addToken(entry, (int) (plan.stepId() % 1_000));
        }
      }
      driver.scheduler().complete(plan, output);
    }

    private void add() {
      final int[] prompt =
          new int[8 + added % 24]; // a longer one grows its table when first looked up
      prompt[0] = added % 7;
      final Request.Builder builder =
          Request.builder("r" + added, prompt).maxTokens(200).priority(added % 3);
      if (items) {
        builder.items(List.of(MultiModalItem.of("item" + added % 11, 2, 4)));
      }
      final Request request = builder.build();
      added++;
      live++;
      final long nowNs = driver.tick();
      driver.scheduler().add(request, this, nowNs);
    }

    @Override
    public void onTokens(RequestView request, int count, long nowNs) {}

    @Override
    public void onFinished(
        RequestView request, FinishReason reason, long stopTokenId, Throwable cause, long nowNs) {
      live--;
    }
  }
}
