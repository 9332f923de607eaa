package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.ChunkedMmInput;
import dev.headway.api.config.EncoderOptions;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.KvRole;
import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.Request;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.testing.ReasonReader;
import dev.headway.scheduler.testing.SchedulerFixture;
import dev.headway.testkit.FakeKvConnector;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * For every constant of {@link WaitReason} a small situation that has it, and exactly what a reader
 * of the events then knows: reason, blocker, needed, free. A constant without one fails the test.
 * What else the probe is told in such situations, and what follows, is in {@link WaitReasonTest}.
 */
class EveryWaitReasonTest {

  /**
   * A situation.
   *
   * @param settings of the fixture
   * @param course what happens
   * @param id of the request that waits then
   * @param known what is known of its wait, after the reason
   */
  private record Scenario(
      UnaryOperator<SchedulerFixture> settings,
      Consumer<SchedulerFixture> course,
      String id,
      String known) {}

  /** Reasons that nothing can cause yet, each with why; a reason is here or has a scenario. */
  private static final Map<WaitReason, String> IMPOSSIBLE_YET = new EnumMap<>(WaitReason.class);

  private static final Map<WaitReason, Scenario> SCENARIOS = new EnumMap<>(WaitReason.class);

  private static final String NOTHING = " by - needed=0 free=0";

  static {
    given(
        WaitReason.INITIAL_WAITING,
        fixture -> fixture,
        run -> run.running("a", 4).waiting("b", 4),
        "b" + NOTHING);
    given(
        WaitReason.MAX_NUM_SEQS,
        fixture -> fixture.maxNumSeqs(1),
        run -> run.running("a", 4).waiting("b", 4).step(),
        "b" + NOTHING);
    given(
        WaitReason.MAX_NUM_BATCHED_TOKENS,
        fixture -> fixture.maxNumSeqs(4).maxNumBatchedTokens(8),
        run -> run.waiting("a", 8).waiting("b", 4).step(),
        "b" + NOTHING);
    given(
        WaitReason.DECODE_PRIORITY,
        fixture -> fixture.maxNumSeqs(2).maxNumBatchedTokens(2),
        run -> {
          run.waiting("a", 1).waiting("b", 1).step();
          run.waiting("c", 4).step();
        },
        "c" + NOTHING);
    given(
        WaitReason.CHUNKED_PREFILL,
        fixture -> fixture.maxNumSeqs(4).maxNumBatchedTokens(4),
        run -> run.running("a", 10).waiting("b", 4).step(),
        "b" + NOTHING);
    given(
        WaitReason.CHUNKED_PREFILL_DISABLED,
        fixture ->
            fixture.maxNumSeqs(4).maxNumBatchedTokens(16).maxModelLen(16).withoutChunkedPrefill(),
        run -> run.waiting("a", 10).waiting("b", 8).step(),
        "b by - needed=8 free=6");
    given(
        WaitReason.DRAFT_PADDING,
        fixture ->
            fixture
                .maxModelLen(11)
                .settings(
                    settings ->
                        settings.speculation(SpeculationOptions.of(SpeculativeMethod.NGRAM, 3)))
                .maxNumBatchedTokens(512),
        run -> {
          run.running(request("cached", text(0, 9)));
          run.finish("cached", FinishReason.ABORTED);
          run.running(request("decodes", text(1, 3)));
          run.waiting(request("b", text(0, 9))).step(); // 1 token and 3 drafts after 8 from cache
        },
        "b by - needed=4 free=511");
    given(
        WaitReason.PREFILL_THROTTLED,
        fixture -> fixture,
        run -> run.running("a", 4).step().waiting("b", 8).scheduleThrottled(),
        "b by - needed=8 free=0");
    given(
        WaitReason.BLOCK_ALIGNMENT,
        fixture ->
            fixture
                .groups(new KvGroup.FullAttention(4), new KvGroup.Mamba(4, 0))
                .maxNumSeqs(4)
                .maxNumBatchedTokens(4),
        run -> run.running("a", 3).waiting("b", 9).step(), // a decodes and leaves 3
        "b by - needed=9 free=3");
    given(
        WaitReason.MAX_LORAS,
        fixture -> fixture.settings(settings -> settings.maxLoras(1)),
        run -> run.waiting(adapted("a", 1)).waiting(adapted("b", 2)).step(),
        "b" + NOTHING);
    for (HoldReason reason : HoldReason.values()) {
      final Hold hold = Hold.until(reason, new CompletableFuture<>());
      given(
          WaitReason.of(reason),
          fixture -> fixture,
          run -> run.waiting(request("b", text(1, 4)).hold(hold)).waiting("a", 4).step(),
          "b" + NOTHING);
    }
    given(
        WaitReason.STREAMING_INPUT,
        fixture -> fixture,
        run -> run.running(request("s", StopRule.maxTokens(1), text(1, 4)).resumable()).step(),
        "s" + NOTHING);
    given(
        WaitReason.REMOTE_KV,
        fixture -> fixture.connector(loads("a", 8)),
        run -> run.waiting("a", 12).step(),
        "a" + NOTHING);
    given(
        WaitReason.KV_LOOKUP,
        fixture -> fixture.connector(new FakeKvConnector(KvRole.CONSUMER).isUndecided("a", 2)),
        run -> run.waiting("a", 4).step(),
        "a" + NOTHING);
    given(
        WaitReason.KV_LOAD_RESERVE,
        fixture ->
            fixture
                .blocks(10)
                .connector(loads("b", 12))
                .maxNumSeqs(4)
                .maxNumBatchedTokens(16)
                .longPrefillTokenThreshold(8),
        run -> run.waiting("a", 32).step().waiting("b", 16).step(), // a has 4 of 8, and needs 4
        "b by - needed=7 free=6");
    given(
        WaitReason.STALE_OUTPUT,
        fixture -> fixture.blocks(2).settings(pipeline(3, ModelRunner.V1)),
        run -> {
          run.waiting("old", 4).waiting("young", 4).schedule();
          run.schedule(); // old needs a block: young gives way, its token is still due
          run.schedule();
        },
        "young" + NOTHING);
    given(
        WaitReason.POLICY_DEFERRED,
        fixture -> fixture.policies(Policies.builder().gate(defers("b")).build()),
        run -> run.running("a", 4).waiting("b", 3).step(),
        "b" + NOTHING);
    given(
        WaitReason.CAPACITY_RESERVED,
        fixture ->
            fixture
                .blocks(10)
                .policies(
                    Policies.builder().capacity((candidate, cached, tokens, step) -> 7).build()),
        run -> run.running("a", 4).waiting("b", 12).step(), // a has 2 by then
        "b by - needed=10 free=8");
    given(
        WaitReason.PREFIX_IN_PROGRESS,
        fixture -> fixture.groups(new KvGroup.FullAttention(4), new KvGroup.Mamba(4, 0)),
        run -> run.waiting(request("a", text(1, 21))).waiting(request("b", text(1, 22))).schedule(),
        "b" + NOTHING);
    given(
        WaitReason.ENCODER_BUDGET,
        fixture -> fixture.settings(encoder(6, 24)),
        run -> run.waiting(seeing("a", "cat", 6)).waiting(seeing("b", "dog", 4)).step(),
        "b by - needed=4 free=0");
    given(
        WaitReason.ENCODER_CACHE,
        fixture -> fixture.maxNumSeqs(8).maxNumBatchedTokens(8).settings(encoder(24, 9)),
        run -> {
          run.waiting(seeing("a", "cat", 9)).step();
          run.waiting(seeing("b", "dog", 4)).schedule(); // a still needs the last of 9
        },
        "b by - needed=4 free=0");
    given(
        WaitReason.MAX_NUM_ACTIVE_SEQS,
        fixture -> fixture.settings(settings -> settings.maxNumActiveSeqs(2)),
        run -> run.waiting("a", 3).waiting("b", 3).waiting("c", 3).step(),
        "c" + NOTHING);
    given(
        WaitReason.MAX_NUM_PARTIAL_PREFILLS,
        fixture ->
            fixture.settings(
                settings -> settings.maxNumPartialPrefills(1).longPrefillTokenThreshold(4)),
        run -> run.waiting("a", 9).waiting("b", 9).step(),
        "b" + NOTHING);
    given(
        WaitReason.PAUSED,
        fixture -> fixture,
        run -> {
          run.running("a", 3).waiting("b", 3);
          run.driver().scheduler().setPauseState(PauseState.NO_ADMISSIONS);
          run.step();
        },
        "b" + NOTHING);
    given(
        WaitReason.MEMORY_INSUFFICIENT,
        fixture -> fixture.blocks(4).withoutGate(),
        run -> run.running("a", 9).waiting("b", 8).step(),
        "b by - needed=2 free=1");
    given(
        WaitReason.WATERMARK,
        fixture -> fixture.blocks(4).watermarkBlocks(1).withoutGate(),
        run -> run.running("a", 5).waiting("b", 5).step(),
        "b by - needed=3 free=2");
    given(
        WaitReason.FULL_SEQUENCE_RESERVE,
        fixture -> fixture.blocks(4).maxNumSeqs(4).maxNumBatchedTokens(9),
        run -> run.running("a", 8).waiting("b", 12).step(),
        "b by - needed=3 free=1");
    given(
        WaitReason.HEAD_OF_LINE,
        fixture -> fixture.blocks(4),
        run -> run.running("a", 9).waiting("b", 8).waiting("c", 1).step(),
        "c by b needed=0 free=0");
    given(
        WaitReason.PREEMPTION_IN_STEP,
        fixture -> fixture.blocks(2),
        run -> run.waiting("old", 4).waiting("young", 4).waiting("c", 1).step().step(),
        "c" + NOTHING);
    given(
        WaitReason.OUTPUT_IN_FLIGHT,
        fixture -> fixture.settings(pipeline(1, ModelRunner.V1)),
        run -> run.waiting(request("a", text(0, 4)).maxTokens(1)).schedule().schedule(),
        "a" + NOTHING);
    given(
        WaitReason.DECODE_SPACING,
        fixture -> fixture.settings(pipeline(2, ModelRunner.V2)),
        run -> run.waiting("a", 4).schedule().schedule(),
        "a" + NOTHING);
    given(
        WaitReason.STALLED,
        fixture ->
            fixture
                .policies(
                    Policies.builder().victim((needy, lacking, step) -> VictimPolicy.STALL).build())
                .blocks(4)
                .withoutCaching(),
        run -> run.running("old", 7).running("young", 5).step(),
        "old by - needed=1 free=0");
    given(
        WaitReason.CONTEXT_LENGTH_LIMIT,
        fixture -> fixture.maxModelLen(8),
        run ->
            run.waiting(request("a", StopRule.maxTokens(50).withMinTokens(50), text(1, 5)))
                .steps(4),
        "a by - needed=8 free=7");
    given(
        WaitReason.PREEMPTED,
        fixture -> fixture.blocks(2),
        run -> run.waiting("old", 4).waiting("young", 4).step().step(),
        "young by old needed=1 free=0");
    given(
        WaitReason.EVICTED,
        fixture -> fixture.blocks(4),
        run -> run.running("a", 5).reset(ResetScope.PREEMPT_RUNNING),
        "a by - needed=0 free=2");
    given(
        WaitReason.RECOMPUTATION,
        fixture -> fixture.maxNumSeqs(4).maxNumBatchedTokens(4),
        run -> {
          run.waiting("a", 9).steps(3);
          run.reset(ResetScope.PREEMPT_RUNNING);
          run.step();
        },
        "a" + NOTHING);
  }

  @ParameterizedTest
  @EnumSource(WaitReason.class)
  void shouldBeProducedByItsScenario(WaitReason reason) {
    if (IMPOSSIBLE_YET.containsKey(reason)) {
      return;
    }
    final Scenario scenario = SCENARIOS.get(reason);
    assertThat(scenario).as("a scenario of %s, in this class", reason).isNotNull();
    final ReasonReader reader = new ReasonReader();
    final SchedulerFixture given = scenario.settings().apply(fixture()).probe(reader);

    scenario.course().accept(given);

    assertThat(reader.reasonOf(scenario.id()))
        .as("%s, of which the probe was told %s", scenario.id(), given.log().lines())
        .isEqualTo(reason + scenario.known());
  }

  @Test
  void shouldSayWhyAReasonHasNoScenario() {
    assertThat(IMPOSSIBLE_YET).doesNotContainValue("").doesNotContainKeys(keys(SCENARIOS));
  }

  private static void given(
      WaitReason reason,
      UnaryOperator<SchedulerFixture> settings,
      Consumer<SchedulerFixture> course,
      String idAndKnown) {
    final int end = idAndKnown.indexOf(' ');
    SCENARIOS.put(
        reason,
        new Scenario(settings, course, idAndKnown.substring(0, end), idAndKnown.substring(end)));
  }

  private static UnaryOperator<SchedulerConfig.Builder> pipeline(int stages, ModelRunner runner) {
    return settings ->
        settings.pipeline(new PipelineOptions(AsyncScheduling.ENABLED, stages, runner));
  }

  private static AdmissionGate defers(String id) {
    return (request, step) ->
        request.id().equals(id) ? AdmissionGate.Verdict.DEFER : AdmissionGate.Verdict.ADMIT;
  }

  private static Request.Builder adapted(String id, int adapter) {
    return request(id, text(adapter, 9)).lora(new LoraAdapter(adapter, "adapter-" + adapter));
  }

  /** A request that begins with an item. */
  private static Request.Builder seeing(String id, String item, int length) {
    return request(id, text(0, length + 1)).items(List.of(MultiModalItem.of(item, 0, length)));
  }

  private static UnaryOperator<SchedulerConfig.Builder> encoder(int budget, int slots) {
    return settings ->
        settings.encoder(new EncoderOptions(6, budget, slots, ChunkedMmInput.ENABLED));
  }

  private static FakeKvConnector loads(String id, int tokens) {
    return new FakeKvConnector(KvRole.CONSUMER).has(id, tokens, ExternalTokens.Kind.AHEAD);
  }

  private static WaitReason[] keys(Map<WaitReason, Scenario> scenarios) {
    return scenarios.keySet().toArray(new WaitReason[0]);
  }
}
