package dev.headway.loadgen.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.simulation.calibrate.TimedRequest;
import dev.headway.simulation.calibrate.TimedRequests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

class ResultShapesTest {

  /**
   * What vLLM's own scripts read: the columns of {@code
   * .buildkite/nightly-benchmarks/scripts/convert-results-json-to-markdown.py} that a result file
   * brings, and the variables of {@code vllm bench sweep plot} and {@code plot_pareto}.
   */
  private static final List<String> PLOTTED_BY_VLLM =
      List.of(
          "model_id",
          "completed",
          "max_concurrency",
          "request_rate",
          "request_throughput",
          "total_token_throughput",
          "output_throughput",
          "total_input_tokens",
          "total_output_tokens",
          "mean_ttft_ms",
          "median_ttft_ms",
          "std_ttft_ms",
          "p99_ttft_ms",
          "mean_tpot_ms",
          "median_tpot_ms",
          "std_tpot_ms",
          "p99_tpot_ms",
          "mean_itl_ms",
          "median_itl_ms",
          "std_itl_ms",
          "p99_itl_ms");

  private static final List<String> OF_VLLM =
      List.of(
          "date",
          "endpoint_type",
          "backend",
          "label",
          "model_id",
          "tokenizer_id",
          "num_prompts",
          "gpu_type",
          "request_rate",
          "burstiness",
          "max_concurrency",
          "duration",
          "completed",
          "failed",
          "total_input_tokens",
          "total_output_tokens",
          "request_throughput",
          "request_goodput",
          "output_throughput",
          "total_token_throughput",
          "max_output_tokens_per_s",
          "max_concurrent_requests",
          "rtfx");

  private static final List<String> OF_EACH_REQUEST =
      List.of(
          "input_lens",
          "output_lens",
          "start_times",
          "ttfts",
          "itls",
          "latencies",
          "queue_times",
          "generated_texts",
          "errors");

  private static final List<String> OF_SGLANG =
      List.of(
          "backend",
          "dataset_name",
          "request_rate",
          "max_concurrency",
          "sharegpt_output_len",
          "random_input_len",
          "random_output_len",
          "random_range_ratio",
          "duration",
          "completed",
          "total_input_tokens",
          "total_output_tokens",
          "total_output_tokens_retokenized",
          "request_throughput",
          "input_throughput",
          "output_throughput",
          "mean_e2e_latency_ms",
          "median_e2e_latency_ms",
          "std_e2e_latency_ms",
          "p99_e2e_latency_ms",
          "mean_ttft_ms",
          "median_ttft_ms",
          "std_ttft_ms",
          "p99_ttft_ms",
          "mean_tpot_ms",
          "median_tpot_ms",
          "std_tpot_ms",
          "p99_tpot_ms",
          "mean_itl_ms",
          "median_itl_ms",
          "std_itl_ms",
          "p95_itl_ms",
          "p99_itl_ms",
          "concurrency",
          "accept_length");

  @Test
  void shouldHaveEveryKeyThatVllmsScriptsRead() {
    final ObjectNode json = VllmJson.of(Runs.report(), false);

    assertThat(json.propertyNames()).containsAll(OF_VLLM).containsAll(PLOTTED_BY_VLLM);
    assertThat(json.propertyNames())
        .startsWith(OF_VLLM.toArray(String[]::new))
        .doesNotContainAnyElementsOf(OF_EACH_REQUEST);
    assertThat(PLOTTED_BY_VLLM)
        .filteredOn(key -> key.endsWith("_ms") || key.endsWith("throughput"))
        .allSatisfy(key -> assertThat(json.path(key).isNumber()).as(key).isTrue());
    assertThat(json.path("p99.9_ttft_ms").isNumber()).isTrue();
    assertThat(json.path("mean_client_queue_time_ms").doubleValue()).isCloseTo(10, within(1e-9));
    assertThat(json.path("mean_e2el_including_client_queue_ms").doubleValue())
        .isCloseTo(170, within(1e-9));
  }

  @Test
  void shouldHaveArraysOfEqualLengthInDetail() {
    final ObjectNode json = VllmJson.of(Runs.report(), true);

    assertThat(OF_EACH_REQUEST)
        .allSatisfy(key -> assertThat(json.path(key).size()).as(key).isEqualTo(4));
    assertThat(json.path("errors").path(3).stringValue()).isEqualTo("HTTP 503: full");
    assertThat(json.path("errors").path(0).stringValue()).isEmpty();
    assertThat(json.path("itls").path(0).size()).isEqualTo(3);
    assertThat(json.path("generated_texts").path(0).stringValue()).isEqualTo("xxxx");
    assertThat(json.path("ttfts").path(0).doubleValue()).isCloseTo(0.1, within(1e-12));
  }

  @Test
  void shouldHaveEveryKeyOfSglang() {
    assertThat(SglangJson.of(Runs.report(), false).propertyNames()).containsAll(OF_SGLANG);
    assertThat(SglangJson.of(Runs.report(), true).propertyNames())
        .contains("input_lens", "output_lens", "ttfts", "itls", "generated_texts", "errors");
  }

  @Test
  void shouldSayMoreInItsOwnShape() {
    final ObjectNode json = HeadwayJson.of(Runs.report(), false);

    assertThat(json.propertyNames()).containsAll(OF_VLLM);
    assertThat(json.path("slo_attainment").doubleValue()).isEqualTo(0.75);
    assertThat(json.path("service_levels").path("ttft").path("met").intValue()).isEqualTo(3);
    assertThat(json.path("by_tenant").propertyNames())
        .containsExactly("null", "tenant-0", "tenant-1");
    assertThat(json.path("errors_by_text").path("HTTP 503: full").intValue()).isEqualTo(1);
    assertThat(json.path("generator").path("p99_lag_ms").doubleValue())
        .isCloseTo(0.001, within(1e-9));
    assertThat(json.path("load_generator_saturated").booleanValue()).isFalse();
    assertThat(json.path("counter_deltas").path("preemptions_total").intValue()).isEqualTo(3);
    assertThat(json.path("confidence_intervals").path("p99_ttft_ms").path("value").doubleValue())
        .isCloseTo(100, within(1e-9));
  }

  @Test
  void shouldNameFilesAsTheOthersDo() {
    assertThat(VllmJson.fileName(Runs.report()))
        .matches("openai-10\\.0qps-concurrency8-llama-20261123-\\d{6}\\.json");
    assertThat(SglangJson.fileName(Runs.report())).isEqualTo("openai_1123_4_random.jsonl");
  }

  @Test
  void shouldPrintTheTableOfVllm() {
    final String table = PrintedTable.vllm(Runs.report());

    assertThat(table)
        .startsWith(
            """
            ============ Serving Benchmark Result ============
            Successful requests:                     3        \s
            Failed requests:                         1        \s
            Maximum request concurrency:             8        \s
            Request rate configured (RPS):           10.00    \s
            Benchmark duration (s):                  1.00     \s
            Total input tokens:                      30       \s
            Total generated tokens:                  12       \s
            Request throughput (req/s):              3.00     \s
            Request goodput (req/s):                 3.00     \s
            """)
        .contains("---------------Time to First Token----------------\n")
        .contains("Mean TTFT (ms):                          100.00    \n")
        .contains("-----Time per Output Token (excl. 1st token)------\n")
        .endsWith("=".repeat(50) + "\n");
  }

  @Test
  void shouldPrintTheTableOfSglang() {
    assertThat(PrintedTable.sglang(Runs.report()))
        .contains("Backend:                                 openai    \n")
        .contains("Traffic request rate:                    10.0      \n")
        .contains("----------------End-to-End Latency----------------\n")
        .contains("Max ITL (ms):                            20.00     \n");
  }

  @Test
  void shouldPrintThatThereIsNothingOfARunThatFailed() {
    final RunReport report = Runs.report(List.of(Runs.failed(0)), Runs.facts(1));

    assertThat(PrintedTable.headway(report))
        .contains("Successful requests:                     0         \n")
        .contains("Mean TTFT (ms):                          n/a       \n");
    assertThat(VllmJson.of(report, true).path("mean_ttft_ms").isNull()).isTrue();
  }

  @Test
  void shouldPrintPointsWhateverTheLocale() {
    final Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.GERMANY);

      assertThat(PrintedTable.headway(Runs.report())).contains("100.00").doesNotContain("100,00");
    } finally {
      Locale.setDefault(before);
    }
  }

  /** So that a simulation is judged by what was measured. */
  @Test
  void shouldWriteRequestsThatACalibrationReads(@TempDir Path directory) throws Exception {
    RequestsCsv.write(directory.resolve(RequestsCsv.NAME), Runs.report().run());

    final TimedRequests read = TimedRequests.read(directory);

    assertThat(read.failed()).isEqualTo(1);
    assertThat(read.requests())
        .containsExactly(request("r0", 0), request("r1", 100_000_000), request("r2", 200_000_000));
  }

  private static TimedRequest request(String id, long arrivalNs) {
    return new TimedRequest(
        id, arrivalNs, 10, 4, 110_000_000, 170_000_000, null, null, "bench-" + id.substring(1));
  }

  @Test
  void shouldWriteARowPerRequestWithItsInstants(@TempDir Path directory) throws Exception {
    final ChainCsv chain = ChainCsv.of(Runs.report().run());

    chain.write(directory.resolve(chain.fileName()), "run-1");

    assertThat(chain.fileName()).isEqualTo("node_requests.csv");
    final List<String> lines = Files.readAllLines(directory.resolve("node_requests.csv"));
    assertThat(lines).hasSize(5);
    assertThat(lines.get(1)).contains("bench-0").contains(",ok,length,false,10,2,4,4,");
    assertThat(lines.get(4)).endsWith("HTTP 503: full");
  }
}
