package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.LIMITS;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.prompt;
import static dev.headway.scheduler.engine.Engines.rejected;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.ResetScope;
import dev.headway.scheduler.time.VirtualClock;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** 64 blocks of 4 tokens; the longest request needs 32 of them. */
class RetentionTest {

  private static final int[] SYSTEM_PROMPT = new int[21];

  static {
    Arrays.setAll(SYSTEM_PROMPT, i -> 500 + i);
  }

  private final VirtualClock clock = new VirtualClock();

  @Test
  void shouldKeepAPinnedPromptThroughAnyLoadUntilItsTimeIsOver() {
    final Engine engine = builder(executor()).clock(clock).build();
    engine.submit(systemPrompt("first", pinned(Duration.ofMinutes(1))));
    stepUntilIdle(engine);

    fill(engine, "a");
    assertThat(engine.stats().kvCache().freeBlocks()).isEqualTo(64 - 5);
    assertThat(cachedTokens(engine)).isEqualTo(20);

    clock.sleepUntil(clock.nanoTime() + Duration.ofMinutes(1).toNanos());
    fill(engine, "b");
    assertThat(engine.stats().kvCache().freeBlocks()).isEqualTo(64);
    assertThat(cachedTokens(engine)).isZero();
  }

  @Test
  void shouldLetGoOfAPrefixWhenAsked() {
    final Engine engine = builder(executor()).clock(clock).build();
    engine.submit(systemPrompt("first", KvCacheRetention.of(KvCacheRetention.PINNED)));
    stepUntilIdle(engine);

    final CompletableFuture<Integer> found =
        retain(engine, KvCacheRetention.of(KvCacheRetention.DROP));
    engine.step();

    assertThat(found).isCompletedWithValue(20);
    assertThat(engine.stats().kvCache().freeBlocks()).isEqualTo(64);
    fill(engine, "a");
    assertThat(cachedTokens(engine)).isZero();
  }

  @Test
  void shouldClearWhatIsPinnedWithTheCache() {
    final Engine engine = builder(executor()).clock(clock).build();
    engine.submit(systemPrompt("first", KvCacheRetention.of(KvCacheRetention.PINNED)));
    stepUntilIdle(engine);

    final CompletableFuture<Boolean> done =
        engine.resetPrefixCache(ResetScope.IDLE_ONLY).toCompletableFuture();
    engine.step();

    assertThat(done).isCompletedWithValue(true);
    assertThat(cachedTokens(engine)).isZero();
  }

  @Test
  void shouldAskThePolicyOfTheEngine() {
    final EvictionPolicy mostHits = block -> Math.min(100, block.priority() + block.hits());
    final Engine engine = builder(executor()).clock(clock).eviction(mostHits).build();
    for (int i = 0; i < 3; i++) {
      engine.submit(systemPrompt("again " + i, null));
      stepUntilIdle(engine);
    }

    fill(engine, "a");

    assertThat(cachedTokens(engine)).isEqualTo(20);
  }

  @Test
  void shouldRejectARetentionWithoutAPrefixCache() {
    final Engine engine =
        HeadwayEngine.builder(executor())
            .clock(clock)
            .config(
                SchedulerConfig.builder(LIMITS).prefixCache(PrefixCacheOptions.disabled()).build())
            .build();

    final RequestHandle handle = engine.submit(systemPrompt("r", KvCacheRetention.of(50)));

    assertThat(rejected(handle).reason()).isEqualTo(RejectReason.UNSUPPORTED);
    assertThat(rejected(handle).message())
        .isEqualTo(
            "prefix caching must be on, and the KV cache keep blocks by priority, for a request"
                + " with a retention: id=r; see Scheduler.retainsByPriority");
  }

  @Test
  void shouldFindNothingAfterTheEnd() {
    final Engine engine = builder(executor()).clock(clock).build();
    engine.close();

    assertThat(retain(engine, KvCacheRetention.of(50))).isCompletedWithValue(0);
  }

  @Test
  void shouldRefuseAPolicyBesideACacheOfOnesOwn() {
    assertThatThrownBy(
            () -> builder(executor()).eviction(EvictionPolicy.LRU).kvCache(context -> null).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("eviction is for the default KV cache: set it or kvCache, not both");
  }

  private static KvCacheRetention pinned(Duration duration) {
    return KvCacheRetention.of(KvCacheRetention.PINNED, duration);
  }

  private static Request systemPrompt(String id, KvCacheRetention retention) {
    final Request.Builder request = Request.builder(id, SYSTEM_PROMPT).maxTokens(1);
    return (retention == null ? request : request.kvCacheRetention(retention)).build();
  }

  private static CompletableFuture<Integer> retain(Engine engine, KvCacheRetention retention) {
    return engine.retainPrefix(systemPrompt("prefix", null), retention).toCompletableFuture();
  }

  /** Requests that need all blocks several times over. */
  private static void fill(Engine engine, String id) {
    for (int i = 0; i < 10; i++) {
      final RequestHandle handle = engine.submit(prompt(id + i, 100, 20));
      stepUntilIdle(engine);
      assertThat(endOf(handle)).isEqualTo("LENGTH/20");
    }
  }

  private static int cachedTokens(Engine engine) {
    final CompletableFuture<Integer> found = retain(engine, KvCacheRetention.builder().build());
    engine.step();
    return found.join();
  }
}
