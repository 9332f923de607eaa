package dev.headway.api.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.RequestOutcome.Rejected;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RejectReason;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.WaitReason;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Contexts, and the words that end up in files. */
class ValuesTest {

  @Test
  void shouldCopyAttributesAndOptions() {
    final Map<String, String> given = new HashMap<>(Map.of("k", "v"));
    final RunInfo run =
        RunInfo.builder(
                SchedulerConfig.builder(
                        SchedulerLimits.builder()
                            .maxNumSeqs(1)
                            .maxNumBatchedTokens(1)
                            .maxModelLen(2)
                            .build())
                    .build(),
                KvCacheShape.builder().blockSize(1).blocks(2).build())
            .headwayVersion("1")
            .executor("executor")
            .virtualTime(true)
            .attributes(given)
            .build();
    final ProbeContext context = new ProbeContext(run, given);
    given.clear();

    assertThat(run.attributes()).containsExactly(Map.entry("k", "v"));
    assertThat(context.options()).containsExactly(Map.entry("k", "v"));
  }

  @Test
  void shouldKeepTheWordsThatStandInFiles() {
    assertThat(Arrays.stream(FinishReason.values()).map(FinishReason::label))
        .containsExactly(
            "stop",
            "repetition",
            "length",
            "abort",
            "deadline",
            "queue_timeout",
            "queue_evicted",
            "run_timeout",
            "executor_failed",
            "kv_cache_exhausted",
            "rejected_by_policy",
            "hold_failed",
            "hold_timeout",
            "kv_load_failed",
            "grammar_refused",
            "listener_failed",
            "shutdown");
    assertThat(Arrays.stream(RejectReason.values()).map(RejectReason::label))
        .containsExactly(
            "context_length_limit",
            "kv_cache_too_small",
            "min_tokens_unreachable",
            "token_out_of_vocabulary",
            "unsupported",
            "encoder_too_small",
            "duplicate_id",
            "queue_full",
            "queued_tokens",
            "engine_closed");
    assertThat(Arrays.stream(PreemptionCause.values()).map(PreemptionCause::label))
        .containsExactly(
            "kv_blocks", "displaced", "cache_reset", "session", "kv_load_failed", "kv_loaded");
    assertThat(Arrays.stream(WaitReason.values()))
        .allSatisfy(
            reason -> assertThat(reason.label()).isEqualTo(reason.name().toLowerCase(Locale.ROOT)));
  }

  @Test
  void shouldHearNothingByDefault() {
    TokenListener.NONE.onToken(0, 1);
    TokenListener.NONE.onDone(new Rejected("a", RejectReason.QUEUE_FULL, "full"));
  }
}
