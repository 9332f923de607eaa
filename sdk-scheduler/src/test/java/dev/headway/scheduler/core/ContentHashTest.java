package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.testing.ProbeLog;
import dev.headway.scheduler.testing.SchedulerFixture;
import dev.headway.scheduler.testing.SyncDriver;
import dev.headway.testkit.scheduler.Liveness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * K6, S4: whatever the scheduler does, each request sees the KV of its own tokens and nothing else.
 */
class ContentHashTest {

  private static final int VOCABULARY = 1_000_003;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 150);
  }

  static LongStream manySeeds() {
    return LongStream.rangeClosed(10_001, 10_040);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldSeeOnlyItsOwnContent(long seed) {
    final World given = new World(seed, Variant.random(new Random(seed)));

    given.run(600);

    assertThat(given.tokens).as("seed=%d", seed).isPositive();
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("manySeeds")
  void shouldSeeOnlyItsOwnContentInLongRuns(long seed) {
    new World(seed, Variant.random(new Random(seed))).run(100_000);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldGenerateTheSameWhateverTheCacheTheChunksAndThePool(long seed) {
    final Random random = new Random(seed);
    final World plain = new World(seed, Variant.PLAIN);
    plain.runToTheEnd();

    final World other = new World(seed, Variant.random(random));
    other.runToTheEnd();

    assertThat(other.outputs).as("seed=%d, %s", seed, other.variant).isEqualTo(plain.outputs);
  }

  @Test
  void shouldNotLetALateStepWriteIntoTheBlocksOfOthers() {
    final SchedulerFixture given = fixture().blocks(5).waiting(request("late", text(0, 7)));
    final ContentHashMemory memory =
        new ContentHashMemory(
            KvCacheShape.builder().blockSize(4).blocks(6).build(), SchedulerFixture.VOCABULARY, 1);
    final SyncDriver.Answer lateAnswer = memory.submit(given.schedule().planOut());
    given.fail(new IllegalStateException("no answer"), BlockFence.HOLD);

    given.waiting(request("other", text(1, 8)));
    final SyncDriver.Answer answer = memory.submit(given.schedule().planOut());
    final StepOutput ignored = new StepOutput();
    ignored.begin(1, 1);
    given.update(answer);
    lateAnswer.fill(given.planOut(), ignored);
    step(given, memory);

    assertThat(given.outputs("other"))
        .containsExactly(
            memory.tokenAfter(given.view("other"), 8), memory.tokenAfter(given.view("other"), 9));
  }

  /**
   * Blocks are findable from the moment they are scheduled. A victim that was scheduled earlier in
   * the same call leaves blocks that are never computed; the request that finds them next, here the
   * victim itself, skips the computation.
   */
  @Test
  void shouldReuseBlocksThatAVictimOfTheSameCallNeverComputedLikeVllm() {
    final SchedulerFixture given =
        fixture()
            .likeVllm()
            .byPriority()
            .withoutGate()
            .blocks(7)
            .longPrefillTokenThreshold(8)
            .waiting(request("victim", text(0, 24)).priority(9));
    final ContentHashMemory memory =
        new ContentHashMemory(
            KvCacheShape.builder().blockSize(4).blocks(8).build(), SchedulerFixture.VOCABULARY, 1);
    step(given, memory);
    given.waiting(Request.builder("needy", text(1, 4)).maxTokens(3).priority(0));
    step(given, memory);
    assertThat(given.plan()).schedulesOnly("victim", "needy").schedules("victim", 8);

    step(given, memory); // the victim gets its last 8 tokens, then needy needs a block
    assertThat(given.plan()).schedulesOnly("needy").preempts("victim");
    step(given, memory);
    assertThat(given.ended("needy").reason()).isEqualTo(FinishReason.LENGTH);
    step(given, memory);

    assertThat(given.plan())
        .as("16 of these 20 tokens were computed")
        .schedules("victim", 4)
        .startsAt("victim", 20);
    assertThat(given.outputs("victim"))
        .as("not what it would say alone")
        .hasSize(1)
        .isNotEqualTo(List.of(memory.tokenAfter(given.view("victim"), 24)));
  }

  /** The repair of the hazard: what was taken back can no longer be found. */
  @Test
  void shouldNotReuseBlocksThatAVictimOfTheSameCallNeverComputed() {
    final SchedulerFixture given =
        fixture()
            .byPriority()
            .withoutGate()
            .blocks(7)
            .longPrefillTokenThreshold(8)
            .waiting(request("victim", text(0, 24)).priority(9));
    final ContentHashMemory memory =
        new ContentHashMemory(
            KvCacheShape.builder().blockSize(4).blocks(8).build(), SchedulerFixture.VOCABULARY, 1);
    step(given, memory);
    given.waiting(Request.builder("needy", text(1, 4)).maxTokens(3).priority(0));
    step(given, memory);

    step(given, memory); // the victim gets its last 8 tokens, then needy needs a block
    assertThat(given.plan()).schedulesOnly("needy").preempts("victim");
    step(given, memory);
    step(given, memory);

    assertThat(given.plan()).as("16 tokens were computed").startsAt("victim", 16);
    assertThat(given.outputs("victim"))
        .as("what it would say alone")
        .containsExactly(memory.tokenAfter(given.view("victim"), 24));
  }

  @Test
  void shouldNotReuseBlocksOfAStepThatFailed() {
    final SchedulerFixture given = fixture().waiting(request("first", text(0, 9)));
    given.schedule().fail(new IllegalStateException("broken"), BlockFence.RELEASE);

    given.running(request("again", text(0, 9)));

    assertThat(given.plan()).as("nothing was ever computed").startsAt("again", 0);
  }

  @Test
  void shouldFailThoseWhoShareABlockOfAFailedEntryInTheSameStep() {
    final SchedulerFixture given =
        fixture()
            .waiting(request("first", text(0, 9)))
            .waiting(request("sharer", text(0, 9)))
            .waiting(request("other", text(7, 9)))
            .schedule();
    assertThat(given.plan()).as("found in the same call").startsAt("sharer", 8);

    given.update(
        (plan, output) -> {
          output.fail(0, new IllegalStateException("no memory"));
          output.addToken(1, 5);
          output.addToken(2, 6);
        });

    assertThat(given.ended("first").reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(given.ended("sharer").reason()).isEqualTo(FinishReason.EXECUTOR_FAILED);
    assertThat(given.ended("other")).isNull();
    given.running(request("again", text(0, 9)));
    assertThat(given.plan()).as("nothing sure was computed").startsAt("again", 0);
  }

  private static void step(SchedulerFixture given, ContentHashMemory memory) {
    final SyncDriver.Answer answer = memory.submit(given.schedule().planOut());
    given.update(answer);
  }

  /** One way to run the same requests. */
  private record Variant(
      PrefixCacheOptions caching,
      QueuePolicy policy,
      FullSequenceGate gate,
      int maxNumSeqs,
      int maxNumBatchedTokens,
      int threshold,
      int blockSize,
      int usableBlocks) {

    private static final int LONGEST = 40;

    static final Variant PLAIN =
        new Variant(
            PrefixCacheOptions.disabled(),
            QueuePolicy.FCFS,
            FullSequenceGate.WHOLE_SEQUENCE,
            8,
            1_000,
            0,
            4,
            1_000);

    static Variant random(Random random) {
      final int seqs = 1 + random.nextInt(6);
      final int blockSize = 1 + random.nextInt(5);
      final int needed = (LONGEST + blockSize - 1) / blockSize;
      final boolean priority = random.nextInt(4) == 0;
      return new Variant(
          random.nextInt(4) == 0 ? PrefixCacheOptions.disabled() : PrefixCacheOptions.DEFAULT,
          priority ? QueuePolicy.PRIORITY : QueuePolicy.FCFS,
          random.nextBoolean() ? FullSequenceGate.WHOLE_SEQUENCE : FullSequenceGate.NEXT_CHUNK,
          seqs,
          seqs + random.nextInt(20),
          random.nextInt(3) == 0 ? 1 + random.nextInt(10) : 0,
          blockSize,
          needed + random.nextInt(needed));
    }
  }

  /** A scheduler over a content-hash memory, and requests that share prefixes. */
  private static final class World implements OutputListener {
    private final long seed;
    private final Variant variant;
    private final Random random;
    private final SyncDriver driver;
    private final ContentHashMemory memory;
    private final Liveness liveness = new Liveness(this::where);
    private final List<RequestView> alive = new ArrayList<>();
    private final Map<String, List<Integer>> outputs = new HashMap<>();
    private StepPlan planOut;
    private SyncDriver.Answer answer;
    private int operation;
    private long tokens;

    World(long seed, Variant variant) {
      this.seed = seed;
      this.variant = variant;
      random = new Random(seed);
      final SchedulerConfig config =
          SchedulerConfig.builder(
                  SchedulerLimits.builder()
                      .maxNumSeqs(variant.maxNumSeqs)
                      .maxNumBatchedTokens(variant.maxNumBatchedTokens)
                      .maxModelLen(Variant.LONGEST)
                      .build())
              .prefixCache(variant.caching)
              .queuePolicy(variant.policy)
              .longPrefillTokenThreshold(variant.threshold)
              .admission(new AdmissionOptions(variant.gate, 0))
              .build();
      final KvCacheShape shape =
          KvCacheShape.builder()
              .blockSize(variant.blockSize)
              .blocks(variant.usableBlocks + 1)
              .build();
      final ProbeLog log = new ProbeLog();
      driver = new SyncDriver(config, shape, VOCABULARY, log);
      memory = new ContentHashMemory(shape, VOCABULARY, seed);
    }

    /** Adds, cancels and resets at any moment. */
    void run(int operations) {
      for (operation = 0; operation < operations; operation++) {
        final int dice = random.nextInt(100);
        if (dice < 15 && alive.size() < 20) {
          add();
        } else if (dice < 20 && !alive.isEmpty()) {
          final RequestView request = alive.get(random.nextInt(alive.size()));
          driver.scheduler().finish(request, FinishReason.ABORTED, null);
        } else if (dice < 22) {
          liveness.disturbed();
          driver
              .scheduler()
              .resetPrefixCache(
                  random.nextBoolean() ? ResetScope.PREEMPT_RUNNING : ResetScope.IDLE_ONLY);
        } else {
          halfStep();
        }
      }
    }

    /** Adds some requests and lets all of them end. */
    void runToTheEnd() {
      for (int i = 0; i < 12; i++) {
        operation = i;
        add();
      }
      while (!alive.isEmpty() || planOut != null) {
        halfStep();
        if (++operation > 100_000) {
          throw new AssertionError("all requests end, " + where());
        }
      }
    }

    private void halfStep() {
      if (planOut == null) {
        planOut = driver.schedule();
        liveness.planned(planOut, true);
        answer = memory.submit(planOut);
      } else {
        driver.update(planOut, answer);
        liveness.answered(planOut);
        planOut = null;
      }
    }

    private void add() {
      final int[] prompt = new int[1 + random.nextInt(Variant.LONGEST - 2)];
      final int text = random.nextInt(3);
      final int common = random.nextInt(prompt.length + 1);
      for (int i = 0; i < prompt.length; i++) {
        prompt[i] = i < common ? 100 * text + i : 1_000 + random.nextInt(5);
      }
      final Request.Builder builder =
          Request.builder("r" + operation, prompt)
              .maxTokens(1 + random.nextInt(12))
              .priority(random.nextInt(3))
              .prefixReuse(random.nextInt(8) == 0 ? PrefixReuse.SKIPPED : PrefixReuse.ALLOWED)
              .cacheSalt(random.nextInt(6) == 0 ? "salt" : "");
      final long nowNs = driver.tick();
      outputs.put("r" + operation, new ArrayList<>());
      final RequestView added = driver.scheduler().add(builder.build(), this, nowNs);
      alive.add(added);
      liveness.added(added);
    }

    private String where() {
      return "seed=" + seed + ", operation=" + operation + ", " + variant;
    }

    @Override
    public void onTokens(RequestView request, int count, long nowNs) {
      tokens += count;
      final int known = request.knownTokens() - 1;
      final int token = request.tokenId(known);
      outputs.get(request.id()).add(token);
      if (token != memory.tokenAfter(request, known)) {
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
        RequestView request, FinishReason reason, long stopTokenId, Throwable cause, long nowNs) {
      alive.remove(request);
      liveness.ended(request);
    }
  }
}
