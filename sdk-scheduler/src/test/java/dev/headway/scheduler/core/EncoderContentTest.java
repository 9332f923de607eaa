package dev.headway.scheduler.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.ChunkedMmInput;
import dev.headway.api.config.Displacement;
import dev.headway.api.config.EncoderOptions;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.encoder.EncoderCache;
import dev.headway.scheduler.testing.SyncDriver;
import dev.headway.testkit.scheduler.Liveness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever happens, each request sees the KV of its own tokens and items, every output is there
 * when it is needed, budget and cache are kept to, and every request ends.
 */
class EncoderContentTest {

  private static final int VOCABULARY = 1_000_003;
  private static final int LONGEST = 48;
  private static final int BIGGEST = 9;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 300);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldSeeOnlyItsOwnItems(long seed) {
    final World given = new World(seed);

    given.run(500);
    given.runToTheEnd();

    assertThat(given.tokens).as("seed=%d", seed).isPositive();
    final EncoderCache cache =
        Objects.requireNonNull(given.driver.scheduler().inspect().encoderCache());
    assertThat(cache.freeableSlots())
        .as("no reference is left, seed=%d", seed)
        .isEqualTo(given.options.cacheSlots());
  }

  /** Is the generator any good? */
  @Test
  void shouldMeetShortCachesShortBudgetsAndPreemptions() {
    long encoded = 0;
    long dropped = 0;
    long preemptions = 0;
    for (long seed = 1; seed <= 40; seed++) {
      final World world = new World(seed);
      world.run(500);
      encoded += world.memory.encoded();
      dropped += world.memory.dropped();
      preemptions += world.driver.scheduler().stats().preemptions();
    }

    assertThat(encoded).isGreaterThan(2_000);
    assertThat(dropped).isGreaterThan(1_000);
    assertThat(preemptions).isGreaterThan(400);
  }

  /** A scheduler over a memory with an encoder, and requests that share text and images. */
  private static final class World implements OutputListener {
    private final long seed;
    private final Random random;
    private final EncoderOptions options;
    private final SchedulerConfig config;
    private final SyncDriver driver;
    private final EncoderMemory memory;
    private final Liveness liveness = new Liveness(this::where);
    private final List<RequestView> alive = new ArrayList<>();
    private @Nullable StepPlan planOut;
    private SyncDriver.@Nullable Answer answer;
    private int operation;
    private long tokens;

    World(long seed) {
      this.seed = seed;
      random = new Random(seed);
      final boolean drafts = random.nextInt(3) == 0;
      final boolean whole = random.nextInt(3) == 0;
      // with drafts three items can be needed at once
      final int least = drafts ? 3 * BIGGEST : 0;
      options =
          new EncoderOptions(
              BIGGEST,
              least + random.nextInt(2 * BIGGEST),
              least + random.nextInt(3 * BIGGEST),
              whole ? ChunkedMmInput.DISABLED : ChunkedMmInput.ENABLED);
      final int seqs = 1 + random.nextInt(6);
      final int blockSize = 1 + random.nextInt(5);
      final int needed = (LONGEST + blockSize) / blockSize;
      final KvCacheShape shape =
          KvCacheShape.builder()
              .blockSize(blockSize)
              .blocks(1 + needed + random.nextInt(needed))
              .build();
      final boolean priority = random.nextBoolean();
      config =
          SchedulerConfig.builder(
                  SchedulerLimits.builder()
                      .maxNumSeqs(seqs)
                      .maxNumBatchedTokens(seqs + (whole ? BIGGEST + 3 : 3) + random.nextInt(20))
                      .maxModelLen(LONGEST)
                      .build())
              .queuePolicy(priority ? QueuePolicy.PRIORITY : QueuePolicy.FCFS)
              .displacement(priority && random.nextInt(3) == 0 ? Displacement.ON : Displacement.OFF)
              .longPrefillTokenThreshold(
                  !whole && random.nextBoolean() ? 1 + random.nextInt(10) : 0)
              .admission(
                  new AdmissionOptions(
                      random.nextBoolean()
                          ? FullSequenceGate.WHOLE_SEQUENCE
                          : FullSequenceGate.NEXT_CHUNK,
                      0))
              .speculation(
                  drafts
                      ? SpeculationOptions.of(SpeculativeMethod.EAGLE, 1)
                      : SpeculationOptions.NONE)
              .encoder(options)
              .build();
      driver = new SyncDriver(config, shape, VOCABULARY, new Probe() {});
      memory =
          new EncoderMemory(
              shape,
              VOCABULARY,
              options,
              config.speculation().prefillLookaheadTokens(),
              this::where);
    }

    void run(int operations) {
      for (operation = 0; operation < operations; operation++) {
        final int dice = random.nextInt(100);
        if (dice < 15 && alive.size() < 12) {
          add();
        } else if (dice < 18 && !alive.isEmpty()) {
          final RequestView request = alive.get(random.nextInt(alive.size()));
          driver.scheduler().finish(request, FinishReason.ABORTED, null);
        } else if (dice < 20 && planOut == null) {
          liveness.disturbed();
          driver
              .scheduler()
              .resetPrefixCache(
                  random.nextBoolean() ? ResetScope.PREEMPT_RUNNING : ResetScope.IDLE_ONLY);
        } else if (dice < 21 && planOut == null) {
          liveness.disturbed();
          driver.scheduler().resetEncoderCache();
        } else if (dice < 23 && planOut == null) {
          liveness.disturbed();
          final StepPlan lost = driver.schedule();
          driver.scheduler().fail(lost, new IllegalStateException("lost"), BlockFence.RELEASE);
        } else {
          halfStep();
        }
      }
    }

    void runToTheEnd() {
      while (!alive.isEmpty() || planOut != null) {
        halfStep();
        if (++operation > 20_000) {
          throw new AssertionError("all requests end, alive=" + alive + ", " + where());
        }
      }
    }

    private void halfStep() {
      final StepPlan out = planOut;
      if (out == null) {
        final StepPlan planned = driver.schedule();
        liveness.planned(planned, true);
        answer = memory.submit(planned);
        planOut = planned;
      } else {
        driver.update(out, Objects.requireNonNull(answer));
        liveness.answered(out);
        planOut = null;
      }
    }

    private void add() {
      final int text = random.nextInt(2);
      final Random content = new Random(text); // equal beginnings, now and then another image
      final int[] prompt = new int[8 + random.nextInt(LONGEST - 12)];
      Arrays.setAll(prompt, i -> 100 * text + i);
      final List<MultiModalItem> items = new ArrayList<>();
      int at = content.nextInt(4);
      while (true) {
        final int length = 1 + content.nextInt(BIGGEST);
        final int name = random.nextInt(6) == 0 ? random.nextInt(5) : content.nextInt(5);
        if (at + length > prompt.length) {
          break;
        }
        Arrays.fill(prompt, at, at + length, 1);
        items.add(item(name, at, length));
        at += length + content.nextInt(5);
      }
      final Request request =
          Request.builder("r" + operation, prompt)
              .maxTokens(1 + random.nextInt(8))
              .priority(random.nextInt(3))
              .items(items)
              .build();
      final RequestView added = driver.scheduler().add(request, this, driver.tick());
      alive.add(added);
      liveness.added(added);
    }

    /** Equal content has an equal length. */
    private static MultiModalItem item(int name, int at, int length) {
      final String hash = "item" + name + "x" + length;
      if (name == 0) {
        return MultiModalItem.withoutEncoder(hash, at, length);
      }
      if (name > 1) {
        return MultiModalItem.of(hash, at, length);
      }
      final BitSet mask = new BitSet();
      mask.set(length / 2, length);
      return MultiModalItem.of(hash, at, length, mask);
    }

    private String where() {
      return "seed=" + seed + ", operation=" + operation + ", " + config;
    }

    @Override
    public void onTokens(RequestView request, int count, long nowNs) {
      tokens += count;
      final int known = request.knownTokens() - 1;
      if (request.tokenId(known) != memory.tokenAfter(request, known)) {
        throw new AssertionError(
            "must see only its own content: id="
                + request.id()
                + ", position="
                + known
                + ", "
                + where());
      }
    }

    @Override
    public void onFinished(
        RequestView request,
        FinishReason reason,
        long stopTokenId,
        @Nullable Throwable cause,
        long nowNs) {
      alive.remove(request);
      liveness.ended(request);
    }
  }
}
