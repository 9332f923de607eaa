package dev.headway.probes.otel.metric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.events.live.RecordConsumer;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.otel.fixture.PrometheusText;
import dev.headway.probes.otel.fixture.RecordedRun;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drafts that are rejected are no recomputation: that is what preemptions took, to the token. */
class SpeculationMetricsTest {

  @TempDir private Path journal;

  @Test
  void shouldNotCountRejectedDraftsAsRecomputation() throws IOException {
    final PrometheusText scrape = scrape(200);

    assertThat(scrape.sum("vllm:spec_decode_num_accepted_tokens_total"))
        .isPositive()
        .as("some are rejected")
        .isLessThan(scrape.sum("vllm:spec_decode_num_draft_tokens_total"));
    assertThat(scrape.sum("vllm:num_preemptions_total")).isZero();
    assertThat(scrape.sum("headway_recomputed_tokens_total")).isZero();
  }

  @Test
  void shouldCountTheAcceptedDraftsByTheirPosition() throws IOException {
    final PrometheusText scrape = scrape(200);

    final String perPosition = "vllm:spec_decode_num_accepted_tokens_per_pos_total";
    assertThat(scrape.sum(perPosition))
        .isPositive()
        .isEqualTo(scrape.sum("vllm:spec_decode_num_accepted_tokens_total"));
    assertThat(scrape.sum(perPosition, "position", "0"))
        .isGreaterThan(scrape.sum(perPosition, "position", "1"));
    assertThat(scrape.sum(perPosition, "position", "3")).isPositive();
    assertThat(scrape.named(perPosition)).as("four are proposed").hasSize(4);
  }

  @Test
  void shouldCountExactlyWhatPreemptionsTook() throws IOException {
    final PrometheusText scrape = scrape(16);
    final Lost lost = new Lost();
    RecordedRun.read(journal, lost);

    assertThat(scrape.sum("vllm:spec_decode_num_accepted_tokens_total"))
        .isPositive()
        .isLessThan(scrape.sum("vllm:spec_decode_num_draft_tokens_total"));
    assertThat(scrape.sum("vllm:num_preemptions_total")).isPositive();
    assertThat(scrape.sum("headway_recomputed_tokens_total"))
        .isPositive()
        .isEqualTo(lost.tokens - lost.foundAgain);
  }

  private PrometheusText scrape(int blocks) throws IOException {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(blocks).build())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .build();
    final LinearLatencyModel latency = new LinearLatencyModel(5_000_000, 20_000, 100_000, 10);
    final SchedulerConfig config =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(512)
                    .build())
            .speculation(SpeculationOptions.of(SpeculativeMethod.NGRAM, 4))
            .build();
    try (Engine engine =
        HeadwayEngine.builder(new SimulatedExecutor(shape, latency, clock, 7, 0.6))
            .config(config)
            .clock(clock)
            .probe(JournalProbe.open(journal, JournalLevel.FULL))
            .build()) {
      for (int i = 0; i < 12; i++) {
        engine.submit(Request.builder("r" + i, prompt(i)).maxTokens(60).build());
      }
      while (engine.step()) {
        // until all have ended
      }
    }
    final Metrics metrics = new Metrics(MetricsOptions.defaults());
    RecordedRun.read(journal, metrics);
    return PrometheusText.parse(metrics.text());
  }

  private static int[] prompt(int i) {
    final int[] prompt = new int[20 + i];
    for (int token = 0; token < prompt.length; token++) {
      prompt[token] = 1 + (i * 31 + token) % 900;
    }
    return prompt;
  }

  /** What every request that ran to its end must have computed again. */
  private static final class Lost implements RecordConsumer {
    private long tokens;
    private long foundAgain;

    @Override
    public void onPreempted(PreemptedRecord preempted) {
      tokens += preempted.lostTokens();
    }

    @Override
    public void onAdmitted(AdmittedRecord admitted) {
      foundAgain += admitted.kind().equals("resumed") ? admitted.cachedTokens() : 0;
    }

    @Override
    public void close() {}
  }
}
