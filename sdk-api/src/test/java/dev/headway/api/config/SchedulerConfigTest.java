package dev.headway.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchedulerConfigTest {

  private static final SchedulerLimits LIMITS = limits(4, 64, 128);

  @Test
  void shouldHaveDefaultsForEverythingButTheLimits() {
    assertThat(options(SchedulerConfig.builder(LIMITS).build()))
        .containsExactly(
            LIMITS,
            0,
            0,
            ChunkedPrefill.ENABLED,
            0,
            LonePrefill.CAPPED,
            QueuePolicy.FCFS,
            Displacement.OFF,
            PrefixCacheOptions.DEFAULT,
            KvOffloadOptions.NONE,
            AdmissionOptions.DEFAULT,
            QueueLimits.NONE,
            0,
            1,
            SpeculationOptions.NONE,
            PipelineOptions.DEFAULT,
            0,
            Compatibility.HEADWAY);
  }

  private static List<Object> options(SchedulerConfig config) {
    return List.of(
        config.limits(),
        config.maxNumScheduledTokens(),
        config.maxNumActiveSeqs(),
        config.chunkedPrefill(),
        config.longPrefillTokenThreshold(),
        config.lonePrefill(),
        config.queuePolicy(),
        config.displacement(),
        config.prefixCache(),
        config.kvOffload(),
        config.admission(),
        config.queueLimits(),
        config.maxLoras(),
        config.prefillScheduleInterval(),
        config.speculation(),
        config.pipeline(),
        config.maxInFlightTokens(),
        config.compatibility());
  }

  private static SchedulerLimits limits(int seqs, int tokens, int modelLen) {
    return SchedulerLimits.builder()
        .maxNumSeqs(seqs)
        .maxNumBatchedTokens(tokens)
        .maxModelLen(modelLen)
        .build();
  }

  @Test
  void shouldRefuseASmallBudgetWithoutChunkedPrefill() {
    final SchedulerConfig.Builder builder =
        SchedulerConfig.builder(LIMITS).chunkedPrefill(ChunkedPrefill.DISABLED);

    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "maxNumBatchedTokens must be >= maxModelLen (or longPrefillTokenThreshold, if set) when"
                + " chunkedPrefill is DISABLED, or a long request could never be computed:"
                + " maxNumBatchedTokens=64, maxModelLen=128, longPrefillTokenThreshold=0");
    assertThatThrownBy(builder.longPrefillTokenThreshold(65)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith(
            "maxNumBatchedTokens=64, maxModelLen=128, longPrefillTokenThreshold=65");
    assertThat(builder.longPrefillTokenThreshold(64).build().longPrefillTokenThreshold())
        .isEqualTo(64);
  }

  @Test
  void shouldTakeABudgetOfTheWholeContextWithoutChunkedPrefill() {
    final SchedulerConfig config =
        SchedulerConfig.builder(limits(4, 128, 128))
            .chunkedPrefill(ChunkedPrefill.DISABLED)
            .build();

    assertThat(config.chunkedPrefill()).isEqualTo(ChunkedPrefill.DISABLED);
  }

  /** The cap does not hold for it, and it cannot be split: it would wait for a second request. */
  @Test
  void shouldRefuseToLiftTheCapOfALonePromptThatMustBeComputedWhole() {
    final SchedulerConfig.Builder given =
        SchedulerConfig.builder(LIMITS)
            .chunkedPrefill(ChunkedPrefill.DISABLED)
            .longPrefillTokenThreshold(32)
            .lonePrefill(LonePrefill.UNCAPPED);

    assertThatThrownBy(given::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "lonePrefill must be CAPPED when chunkedPrefill is DISABLED and a step computes fewer"
                + " tokens than maxModelLen, or a long request that is alone could never be"
                + " computed: lonePrefill=UNCAPPED, longPrefillTokenThreshold=32, largestChunk=64,"
                + " maxModelLen=128");
    assertThat(given.compatibility(Compatibility.VLLM_0_28).build()).isNotNull();
    assertThat(given.compatibility(Compatibility.HEADWAY).lonePrefill(LonePrefill.CAPPED).build())
        .isNotNull();
  }

  @Test
  void shouldLiftTheCapOfALonePromptThatFitsIntoAStep() {
    final SchedulerConfig config =
        SchedulerConfig.builder(limits(4, 128, 128))
            .chunkedPrefill(ChunkedPrefill.DISABLED)
            .longPrefillTokenThreshold(32)
            .lonePrefill(LonePrefill.UNCAPPED)
            .build();

    assertThat(config.lonePrefill()).isEqualTo(LonePrefill.UNCAPPED);
  }

  @Test
  void shouldCountBothBudgetsAndDraftSlotsWithoutChunkedPrefill() {
    final SchedulerConfig.Builder given =
        SchedulerConfig.builder(limits(4, 130, 128)).chunkedPrefill(ChunkedPrefill.DISABLED);
    final String rule =
        "maxNumScheduledTokens, and maxNumBatchedTokens less the draft slots of a request, must be"
            + " >= maxModelLen (or longPrefillTokenThreshold, if set) when chunkedPrefill is"
            + " DISABLED, or a long request could never be computed: ";

    assertThatThrownBy(given.maxNumScheduledTokens(127)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            rule
                + "maxNumScheduledTokens=127, maxNumBatchedTokens=130, draftSlots=0,"
                + " maxModelLen=128, longPrefillTokenThreshold=0");
    assertThat(given.maxNumScheduledTokens(128).build().maxNumScheduledTokens()).isEqualTo(128);
    assertThatThrownBy(
            given
                    .maxNumScheduledTokens(0)
                    .speculation(
                        new SpeculationOptions(
                            SpeculativeMethod.EAGLE, 4, Drafting.PARALLEL, List.of()))
                ::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            rule
                + "maxNumScheduledTokens=130, maxNumBatchedTokens=130, draftSlots=3,"
                + " maxModelLen=128, longPrefillTokenThreshold=0");
  }

  @Test
  void shouldRefuseAThresholdOutsideItsRange() {
    assertThatThrownBy(SchedulerConfig.builder(LIMITS).longPrefillTokenThreshold(-1)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "longPrefillTokenThreshold must be in [0, maxModelLen], 0 for no limit of its own:"
                + " longPrefillTokenThreshold=-1, maxModelLen=128");
    assertThatThrownBy(SchedulerConfig.builder(LIMITS).longPrefillTokenThreshold(129)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "longPrefillTokenThreshold must be in [0, maxModelLen], 0 for no limit of its own:"
                + " longPrefillTokenThreshold=129, maxModelLen=128");
  }

  @Test
  void shouldRequireLimits() {
    assertThatThrownBy(() -> SchedulerConfig.builder(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("limits");
  }

  @Test
  void shouldRefuseChunksShorterThanDraftingModulesLookAhead() {
    final SchedulerConfig.Builder given =
        SchedulerConfig.builder(LIMITS)
            .speculation(SpeculationOptions.of(SpeculativeMethod.MTP_MULTI, 4))
            .longPrefillTokenThreshold(3);

    assertThatThrownBy(given::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("largestChunk=3, prefillLookaheadTokens=4");
    assertThat(given.compatibility(Compatibility.VLLM_0_28).build()).isNotNull();
    assertThat(given.compatibility(Compatibility.HEADWAY).longPrefillTokenThreshold(4).build())
        .isNotNull();
  }

  /** Every option another than its default. */
  private static SchedulerConfig.Builder everything() {
    return SchedulerConfig.builder(limits(8, 256, 128))
        .maxNumScheduledTokens(200)
        .maxNumActiveSeqs(7)
        .chunkedPrefill(ChunkedPrefill.DISABLED)
        .longPrefillTokenThreshold(32)
        .lonePrefill(LonePrefill.UNCAPPED)
        .queuePolicy(QueuePolicy.PRIORITY)
        .displacement(Displacement.ON)
        .prefixCache(PrefixCacheOptions.builder().matchUnit(8).build())
        .kvOffload(new KvOffloadOptions(50))
        .admission(new AdmissionOptions(FullSequenceGate.NEXT_CHUNK, 0.1))
        .queueLimits(new QueueLimits(30, 4_000))
        .maxLoras(3)
        .prefillScheduleInterval(2)
        .speculation(SpeculationOptions.of(SpeculativeMethod.EAGLE, 4))
        .pipeline(PipelineOptions.ASYNC)
        .maxInFlightTokens(300);
  }

  @Test
  void shouldPutEachOptionInItsPlace() {
    assertThat(options(everything().build()))
        .containsExactly(
            limits(8, 256, 128),
            200,
            7,
            ChunkedPrefill.DISABLED,
            32,
            LonePrefill.UNCAPPED,
            QueuePolicy.PRIORITY,
            Displacement.ON,
            PrefixCacheOptions.builder().matchUnit(8).build(),
            new KvOffloadOptions(50),
            new AdmissionOptions(FullSequenceGate.NEXT_CHUNK, 0.1),
            new QueueLimits(30, 4_000),
            3,
            2,
            SpeculationOptions.of(SpeculativeMethod.EAGLE, 4),
            PipelineOptions.ASYNC,
            300,
            Compatibility.HEADWAY);
  }

  @Test
  void shouldKeepEveryOptionThroughItsBuilder() {
    final SchedulerConfig config = everything().build();
    final SchedulerConfig asVllm =
        everything()
            .kvOffload(KvOffloadOptions.NONE)
            .compatibility(Compatibility.VLLM_0_28)
            .build();

    assertThat(config.toBuilder().build()).isEqualTo(config);
    assertThat(asVllm.toBuilder().build()).isEqualTo(asVllm).isNotEqualTo(config);
    assertThat(config.toBuilder().limits(limits(8, 256, 100)).build().limits())
        .isEqualTo(limits(8, 256, 100));
  }

  @Test
  void shouldDifferInEveryOption() {
    final SchedulerConfig defaults = SchedulerConfig.builder(limits(4, 128, 128)).build();
    final List<UnaryOperator<SchedulerConfig.Builder>> changes =
        List.of(
            builder -> builder.limits(limits(8, 256, 128)),
            builder -> builder.maxNumScheduledTokens(1),
            builder -> builder.maxNumActiveSeqs(1),
            builder -> builder.chunkedPrefill(ChunkedPrefill.DISABLED),
            builder -> builder.longPrefillTokenThreshold(1),
            builder -> builder.lonePrefill(LonePrefill.UNCAPPED),
            builder -> builder.queuePolicy(QueuePolicy.PRIORITY),
            builder -> builder.prefixCache(PrefixCacheOptions.disabled()),
            builder -> builder.kvOffload(new KvOffloadOptions(1)),
            builder -> builder.admission(new AdmissionOptions(FullSequenceGate.NEXT_CHUNK, 0.1)),
            builder -> builder.queueLimits(new QueueLimits(30, 4_000)),
            builder -> builder.maxLoras(1),
            builder -> builder.prefillScheduleInterval(2),
            builder -> builder.speculation(SpeculationOptions.of(SpeculativeMethod.EAGLE, 1)),
            builder -> builder.pipeline(PipelineOptions.ASYNC),
            builder -> builder.maxInFlightTokens(1),
            builder -> builder.compatibility(Compatibility.VLLM_0_28));

    assertThat(changes.stream().map(change -> change.apply(defaults.toBuilder()).build()))
        .allSatisfy(config -> assertThat(config).isEqualTo(config.toBuilder().build()))
        .doesNotContain(defaults)
        .doesNotHaveDuplicates();
  }

  @Test
  void shouldNameEachOption() {
    assertThat(SchedulerConfig.builder(LIMITS).maxLoras(3).build().toString())
        .startsWith("SchedulerConfig{limits=" + LIMITS + ", maxNumScheduledTokens=0, ")
        .contains(", maxLoras=3, ");
  }

  @Test
  void shouldRefuseOptionsBeyondTheLimits() {
    final SchedulerConfig.Builder builder = SchedulerConfig.builder(LIMITS);

    assertRefused(
        builder.maxNumScheduledTokens(65),
        "maxNumScheduledTokens must be in [0, maxNumBatchedTokens], 0 for no limit of its own:"
            + " maxNumScheduledTokens=65, maxNumBatchedTokens=64");
    assertRefused(
        builder.maxNumScheduledTokens(64).maxNumActiveSeqs(5),
        "maxNumActiveSeqs must be in [0, maxNumSeqs], 0 for no limit of its own:"
            + " maxNumActiveSeqs=5, maxNumSeqs=4");
    assertRefused(
        builder.maxNumActiveSeqs(4).maxLoras(5),
        "maxLoras must be in [0, maxNumSeqs], 0 for no limit of its own: maxLoras=5,"
            + " maxNumSeqs=4");
    assertThat(builder.maxLoras(4).longPrefillTokenThreshold(128).build())
        .as("as much as the limits allow")
        .isNotNull();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 'prefillScheduleInterval must be >= 1: prefillScheduleInterval=0'",
    "1, -1, 'maxInFlightTokens must be >= 0, 0 for what can be in flight: maxInFlightTokens=-1'"
  })
  void shouldRefuseFiguresBelowTheirLeast(int interval, int inFlight, String message) {
    assertRefused(
        SchedulerConfig.builder(LIMITS)
            .prefillScheduleInterval(interval)
            .maxInFlightTokens(inFlight),
        message);
  }

  @Test
  void shouldRefuseDraftSlotsThatLeaveNoToken() {
    assertRefused(
        SchedulerConfig.builder(LIMITS).speculation(parallelDrafts(65)),
        "maxNumBatchedTokens must be > the draft slots of a request, or nothing could be scheduled:"
            + " maxNumBatchedTokens=64, draftSlots=64");
    assertThat(SchedulerConfig.builder(LIMITS).speculation(parallelDrafts(64)).build())
        .as("one token is left")
        .isNotNull();
  }

  private static SpeculationOptions parallelDrafts(int tokens) {
    return new SpeculationOptions(SpeculativeMethod.EAGLE, tokens, Drafting.PARALLEL, List.of());
  }

  @Test
  void shouldRefuseDisplacementWithoutPriorities() {
    assertRefused(
        SchedulerConfig.builder(LIMITS).displacement(Displacement.ON),
        "displacement needs queuePolicy PRIORITY: displacement="
            + Displacement.ON
            + ", queuePolicy=FCFS");
    assertThat(
            SchedulerConfig.builder(LIMITS)
                .displacement(Displacement.ON)
                .queuePolicy(QueuePolicy.PRIORITY)
                .build())
        .isNotNull();
  }

  @Test
  void shouldRefuseAHostTierThatNoPrefixUses() {
    final SchedulerConfig.Builder offloading =
        SchedulerConfig.builder(LIMITS).kvOffload(new KvOffloadOptions(1));
    final String rule = "hostBlocks needs prefixCache enabled and compatibility HEADWAY: ";

    assertRefused(
        offloading.prefixCache(PrefixCacheOptions.disabled()),
        rule + "hostBlocks=1, prefixCache=PrefixCacheOptions[disabled], compatibility=HEADWAY");
    assertRefused(
        offloading.prefixCache(PrefixCacheOptions.DEFAULT).compatibility(Compatibility.VLLM_0_28),
        rule
            + "hostBlocks=1, prefixCache="
            + PrefixCacheOptions.DEFAULT
            + ", compatibility=VLLM_0_28");
    assertThat(offloading.compatibility(Compatibility.HEADWAY).build().kvOffload().hostBlocks())
        .isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"0, DISABLED, 64", "0, ENABLED, 128", "1, ENABLED, 1", "1000, DISABLED, 1000"})
  void shouldKnowHowManyTokensCanBeInFlight(int given, AsyncScheduling async, int tokens) {
    final SchedulerConfig config =
        SchedulerConfig.builder(LIMITS)
            .pipeline(new PipelineOptions(async, 1, ModelRunner.V1))
            .maxInFlightTokens(given)
            .build();

    assertThat(config.inFlightTokenLimit()).isEqualTo(tokens);
  }

  @Test
  void shouldRefuseMoreTokensInFlightThanAnIntCounts() {
    final SchedulerConfig.Builder most = SchedulerConfig.builder(limits(4, Integer.MAX_VALUE, 128));

    assertThat(most.build().inFlightTokenLimit()).as("one step").isEqualTo(Integer.MAX_VALUE);
    assertRefused(
        most.pipeline(PipelineOptions.ASYNC),
        "maxInFlightTokens must be set where maxStepsInFlight * maxNumBatchedTokens is >"
            + " 2147483647: maxInFlightTokens=0, maxStepsInFlight=2,"
            + " maxNumBatchedTokens=2147483647");
    assertThat(most.maxInFlightTokens(1_000).build().inFlightTokenLimit()).isEqualTo(1_000);
  }

  private static void assertRefused(SchedulerConfig.Builder builder, String message) {
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
