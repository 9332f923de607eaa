package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.LIMITS;
import static dev.headway.scheduler.engine.Engines.assertHealthy;
import static dev.headway.scheduler.engine.Engines.await;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.SampledGroup;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.engine.TokenStream;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.schedule.WaitReason;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Samples of one prompt: 26 tokens, computed 8 at a time, with blocks of 4. */
class SampledGroupTest {

  private static final int[] PROMPT = IntStream.range(100, 126).toArray();
  private static final int FULL_BLOCKS_TOKENS = 24;

  private final Engine engine =
      builder(executor())
          .config(SchedulerConfig.builder(LIMITS).longPrefillTokenThreshold(8).build())
          .build();

  private static SampledGroup group(int n) {
    return SampledGroup.of(
        "g", n, SamplingParams.GREEDY, id -> Request.builder(id, PROMPT).maxTokens(5));
  }

  private List<RequestHandle> submit(SampledGroup group) {
    return group.submit(engine, index -> TokenListener.NONE);
  }

  private SchedulerStats stats() {
    return engine.stats().scheduler();
  }

  @Test
  void shouldNameItsRequestsAndCountTheSeedUp() {
    final SamplingParams sampling = SamplingParams.GREEDY.toBuilder().seed(41).build();

    final SampledGroup group =
        SampledGroup.of("g", 3, sampling, id -> Request.builder(id, PROMPT).maxTokens(5));

    assertThat(group.requests()).extracting(Request::id).containsExactly("g-0", "g-1", "g-2");
    assertThat(group.requests())
        .extracting(request -> request.sampling().seed())
        .containsExactly(41L, 42L, 43L);
    assertThat(group(1).requests()).extracting(Request::id).containsExactly("g");
    assertThat(group(1).requests().getFirst().holds()).isEmpty();
    assertThatThrownBy(() -> group(0)).hasMessage("n must be >= 1: id=g, n=0");
  }

  @Test
  void shouldComputeThePromptOnce() {
    final List<RequestHandle> handles = submit(group(4));

    stepUntilIdle(engine);

    assertThat(handles)
        .allSatisfy(handle -> assertThat(endOf(await(handle))).isEqualTo("LENGTH/5"));
    assertThat(stats().prefixHitTokens()).isEqualTo(3L * FULL_BLOCKS_TOKENS);
    assertThat(finished(handles.get(3)).waits().ns(WaitReason.EXTERNAL_HOLD)).isNotNegative();
    assertHealthy(engine);
  }

  /** What the group is for: the same requests on their own compute the prompt side by side. */
  @Test
  void shouldComputeLessThanTheSameRequestsOneByOne() {
    for (int i = 0; i < 4; i++) {
      engine.submit(Request.builder("alone-" + i, PROMPT).maxTokens(5).build());
    }

    stepUntilIdle(engine);

    assertThat(stats().prefixHitTokens()).isLessThan(3L * FULL_BLOCKS_TOKENS);
  }

  @Test
  void shouldLetTheNextComputeThePromptWhenTheFirstEndsWithoutAToken() {
    final List<RequestHandle> handles = submit(group(4));
    engine.step();

    handles.get(0).cancel();
    handles.get(1).cancel();
    stepUntilIdle(engine);

    assertThat(handles)
        .extracting(handle -> endOf(await(handle)))
        .containsExactly("ABORTED/0", "ABORTED/0", "LENGTH/5", "LENGTH/5");
    assertThat(finished(handles.get(3)).outputTokens()).isEqualTo(5);
    assertThat(stats().prefixHitTokens())
        .as("8 tokens of the first, and all of the third")
        .isEqualTo(8L + FULL_BLOCKS_TOKENS);
    assertHealthy(engine);
  }

  @Test
  void shouldGoOnWhenTheFirstIsRefused() {
    engine.submit(Request.builder("g-0", 1, 2, 3).maxTokens(50).build()); // its id is taken
    final List<RequestHandle> handles = submit(group(3));

    stepUntilIdle(engine);

    assertThat(handles)
        .extracting(handle -> endOf(await(handle)))
        .containsExactly("DUPLICATE_ID", "LENGTH/5", "LENGTH/5");
    assertThat(stats().prefixHitTokens()).isEqualTo(FULL_BLOCKS_TOKENS);
  }

  @Test
  void shouldCancelOneOrAll() {
    final List<RequestHandle> handles = submit(group(3));
    while (handles.stream().noneMatch(RequestHandle::isDone) && stats().admissions() < 3) {
      engine.step();
    }
    handles.get(0).cancel();
    engine.step();
    assertThat(handles).extracting(RequestHandle::isDone).containsExactly(true, false, false);

    handles.forEach(RequestHandle::cancel);
    stepUntilIdle(engine);

    assertThat(handles).allMatch(RequestHandle::isDone);
    assertHealthy(engine);
  }

  @Test
  void shouldEndAllWithItsStream() throws Exception {
    final TokenStream stream =
        TokenStream.submitGroups(engine, List.of(group(3)), 100, engine.clock().nanoTime());
    engine.step();

    stream.close();
    stepUntilIdle(engine);

    assertThat(stream.handles())
        .hasSize(3)
        .allSatisfy(handle -> assertThat(endOf(await(handle))).isEqualTo("ABORTED/0"));
    assertHealthy(engine);
  }

  @Test
  void shouldStreamTheTokensOfSeveralGroups() {
    final SampledGroup other =
        SampledGroup.of(
            "h", 2, SamplingParams.GREEDY, id -> Request.builder(id, 7, 8, 9).maxTokens(2));
    final TokenStream stream =
        TokenStream.submitGroups(engine, List.of(group(2), other), 100, engine.clock().nanoTime());
    stepUntilIdle(engine);

    final List<Integer> of = new ArrayList<>();
    stream.forEach(token -> of.add(token.request()));

    assertThat(of).hasSize(14).containsOnly(0, 1, 2, 3);
  }

  @Test
  void shouldNotHoldRequestsThatShareNothing() {
    final SampledGroup group =
        SampledGroup.of(
            "g",
            3,
            SamplingParams.GREEDY,
            id -> Request.builder(id, PROMPT).maxTokens(5).prefixReuse(PrefixReuse.SKIPPED));

    assertThat(group.requests()).allMatch(request -> request.holds().isEmpty());
  }
}
