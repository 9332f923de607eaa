package dev.headway.probes.otel.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.otel.fixture.PrometheusText;
import dev.headway.probes.otel.fixture.RecordedRun;
import dev.headway.probes.otel.fixture.Script;
import dev.headway.probes.otel.fixture.Step;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SGLang's metrics beside vLLM's. */
class SglangMetricsTest {

  private static final MetricsOptions OPTIONS =
      MetricsOptions.defaults().withCompat(MetricsCompat.SGLANG);

  @TempDir private Path folder;

  private final Metrics metrics = new Metrics(OPTIONS);
  private final Script script = new Script(metrics);

  @Test
  void shouldHaveNoneUnlessAskedFor() {
    final Metrics usual = new Metrics(MetricsOptions.defaults());

    new Script(usual).start();

    assertThat(usual.text()).contains("vllm:num_requests_running").doesNotContain("sglang:");
  }

  @Test
  void shouldShowWhatRunsAndWaitsAndHowFullTheCacheIs() {
    script.start().queued(0, "a", 100).queued(1, "b", 100).queued(2, "c", 100).admitted(1, 0);

    script.step(new Step(1, 0));

    final String labels =
        "{engine_type=\"unified\",model_name=\"toy\",moe_ep_rank=\"0\",pp_rank=\"0\",tp_rank=\"0\"}";
    assertThat(metrics.text())
        .contains(
            "# TYPE sglang:num_running_reqs gauge\nsglang:num_running_reqs" + labels + " 1.0\n",
            "# TYPE sglang:num_queue_reqs gauge\nsglang:num_queue_reqs" + labels + " 2.0\n",
            "# TYPE sglang:num_used_tokens gauge\nsglang:num_used_tokens" + labels + " 16.0\n",
            "sglang:max_total_num_tokens" + labels + " 1600.0\n",
            "sglang:token_usage" + labels + " 0.01\n",
            "vllm:num_requests_waiting{engine=\"0\",model_name=\"toy\"} 2.0\n");
  }

  @Test
  void shouldHaveTheHitRateOfTheLatestStepThatAdmittedRequests() {
    script.start().queued(0, "a", 100).queued(1, "b", 100).queued(2, "c", 100);
    metrics.onAdmitted(new AdmittedRecord(1, 0, "new", 8, 0, 0));
    script.admitted(1, 1).step(new Step(1, 0, 1));

    assertThat(scrape().sum("sglang:cache_hit_rate")).isEqualTo(8 / 20.0);
    script.step(new Step(2, 0, 1));
    assertThat(scrape().sum("sglang:cache_hit_rate")).isEqualTo(8 / 20.0);
    metrics.onAdmitted(new AdmittedRecord(3, 2, "new", 5, 0, 0));
    script.step(new Step(3, 0, 1, 2));
    assertThat(scrape().sum("sglang:cache_hit_rate")).isEqualTo(5 / 10.0);
    assertThat(scrape().sum("sglang:realtime_tokens_total", "mode", "prefill_cache"))
        .isEqualTo(8 + 5);
  }

  @Test
  void shouldHaveTheThroughputOfFortyStepsUntilNoRequestIsLeft() {
    script.start().queued(0, "a", 100).admitted(1, 0);
    for (int step = 1; step < SglangMetrics.THROUGHPUT_STEPS; step++) {
      script.step(new Step(step, 0));
    }

    assertThat(scrape().sum("sglang:gen_throughput")).isZero();
    script.step(new Step(40, 0));
    assertThat(scrape().sum("sglang:gen_throughput")).isCloseTo(40 / (39_660 / 1e9), within(1e-3));
    for (int step = 41; step <= 80; step++) {
      script.step(new Step(step, 0));
    }
    assertThat(scrape().sum("sglang:gen_throughput")).isCloseTo(40 / (40_000 / 1e9), within(1e-3));
    script.planned(new Step(81, 0)).finished(81, 0, "stop", 81_600).completed(new Step(81, 0));
    assertThat(scrape().sum("sglang:gen_throughput")).isZero();
    assertThat(scrape().sum("sglang:num_used_tokens")).isZero();
  }

  @Test
  void shouldCountWhatTheLatestStepPutBackAndAll() {
    script.start().queued(0, "a", 100).queued(1, "b", 100).admitted(1, 0).admitted(1, 1);
    script.step(new Step(1, 0, 1)).preempted(2, 1).step(new Step(2, 0));

    assertThat(scrape().sum("sglang:num_retracted_reqs")).isEqualTo(1);
    script.step(new Step(3, 0));
    assertThat(scrape().sum("sglang:num_retracted_reqs")).isZero();
    assertThat(scrape().sum("sglang:num_retracted_requests_total")).isEqualTo(1);
  }

  /** SGLang observes a token as often as a step gave some, each with its share of the gap. */
  @Test
  void shouldShareAGapAmongTokensThatCameTogether() {
    final PrometheusRegistry registry = new PrometheusRegistry();
    final Metrics given = new Metrics(OPTIONS, registry);
    final RunStartedRecord run =
        new RunStartedRecord(1, "0.1.0", "full", true, 0, 0, 0, 16, 101, 0, Map.of(), Map.of());

    new SglangMetrics(new Families(registry), "toy", run).tokens(3, 30_000_000);

    final PrometheusText scrape = PrometheusText.parse(given.text());
    assertThat(scrape.sum("sglang:inter_token_latency_seconds_count")).isEqualTo(3);
    assertThat(scrape.sum("sglang:inter_token_latency_seconds_sum")).isCloseTo(0.03, within(1e-12));
    assertThat(scrape.sum("sglang:inter_token_latency_seconds_bucket", "le", "0.008")).isZero();
    assertThat(scrape.sum("sglang:inter_token_latency_seconds_bucket", "le", "0.01")).isEqualTo(3);
  }

  @Test
  void shouldAgreeWithVllmsOnARealRun() throws IOException {
    final Path journal = RecordedRun.record(folder.resolve("journal"), JournalLevel.FULL);
    final Metrics given = new Metrics(OPTIONS);
    RecordedRun.read(journal, given);
    final PrometheusText scrape = PrometheusText.parse(given.text());

    assertThat(scrape.sum("sglang:num_requests_total"))
        .isEqualTo(scrape.sum("vllm:request_success_total"));
    assertThat(scrape.sum("sglang:num_aborted_requests_total")).isEqualTo(4);
    assertThat(scrape.sum("sglang:generation_tokens_total"))
        .isEqualTo(scrape.sum("vllm:generation_tokens_total"))
        .isEqualTo(scrape.sum("sglang:realtime_tokens_total", "mode", "decode"));
    assertThat(scrape.sum("sglang:prompt_tokens_total"))
        .isEqualTo(scrape.sum("vllm:request_prompt_tokens_sum"));
    assertThat(scrape.sum("sglang:cached_tokens_total"))
        .isEqualTo(scrape.sum("vllm:prefix_cache_hits_total"))
        .isPositive();
    assertThat(scrape.sum("sglang:num_retracted_requests_total"))
        .isEqualTo(scrape.sum("vllm:num_preemptions_total"))
        .isPositive();
    assertThat(scrape.sum("sglang:time_to_first_token_seconds_sum"))
        .isEqualTo(scrape.sum("vllm:time_to_first_token_seconds_sum"));
    assertThat(scrape.sum("sglang:e2e_request_latency_seconds_sum"))
        .isEqualTo(scrape.sum("vllm:e2e_request_latency_seconds_sum"));
    assertThat(scrape.sum("sglang:queue_time_seconds_sum"))
        .isEqualTo(scrape.sum("vllm:request_queue_time_seconds_sum"));
    assertThat(scrape.sum("sglang:inter_token_latency_seconds_sum"))
        .isCloseTo(scrape.sum("vllm:inter_token_latency_seconds_sum"), within(1e-9));
    assertThat(scrape.bounds("sglang:time_to_first_token_seconds"))
        .startsWith(.1, .2)
        .endsWith(400.0, Double.POSITIVE_INFINITY);
    assertThat(scrape.types())
        .containsEntry("sglang:num_queue_reqs", "gauge")
        .containsEntry("sglang:num_requests_total", "counter")
        .containsEntry("sglang:queue_time_seconds", "histogram");
  }

  private PrometheusText scrape() {
    return PrometheusText.parse(metrics.text());
  }
}
