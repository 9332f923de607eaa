package dev.headway.probes.otel.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.events.record.AdmissionsClosedRecord;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.DroppedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.UnblockedRecord;
import dev.headway.probes.otel.fixture.PrometheusText;
import dev.headway.probes.otel.fixture.RecordedRun;
import dev.headway.probes.otel.fixture.Script;
import dev.headway.probes.otel.fixture.Step;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Metrics of records made by hand. */
class MetricsTest {

  private final Metrics metrics = new Metrics(MetricsOptions.defaults());
  private final Script script = new Script(metrics);

  @Test
  void shouldHaveNothingBeforeARun() {
    assertThat(metrics.text()).isEmpty();
  }

  @Test
  void shouldHaveEverySeriesFromTheStartOfARun() {
    script.start();

    final PrometheusText scrape = scrape();
    assertThat(scrape.sum("vllm:num_requests_running")).isZero();
    assertThat(scrape.sum("vllm:request_success_total", "finished_reason", "repetition")).isZero();
    assertThat(scrape.sum("vllm:time_to_first_token_seconds_count")).isZero();
    assertThat(scrape.sum("gen_ai_server_request_duration_seconds_count")).isZero();
  }

  @Test
  void shouldShowWhoRunsAndWhoWaits() {
    script.start().queued(0, "a", 100).queued(1, "b", 100).queued(2, "c", 100).admitted(1, 0);
    metrics.onBlocked(new BlockedRecord(1, 1, "policy_deferred", -1, 0, 0));
    metrics.onAdmissionsClosed(new AdmissionsClosedRecord(1, "max_num_seqs", -1));
    script.step(new Step(1, 0));

    assertThat(scrape().sum("vllm:num_requests_running")).isEqualTo(1);
    assertThat(scrape().sum("vllm:num_requests_waiting")).isEqualTo(2);
    assertThat(scrape().sum("vllm:num_requests_waiting_by_reason", "reason", "deferred"))
        .isEqualTo(1);
    assertThat(scrape().sum("vllm:num_requests_waiting_by_reason", "reason", "capacity"))
        .isEqualTo(1);
    assertThat(scrape().sum("vllm:kv_cache_usage_perc")).isCloseTo(0.01, within(1e-9));
    assertThat(scrape().sum("headway_kv_blocks", "state", "used")).isEqualTo(1);
  }

  @Test
  void shouldCountWhatAKvConnectorHadBesideWhatTheDeviceHeld() {
    script
        .start(Map.of("prefixCaching", "ENABLED"), Map.of("kv_connector", "consumer"))
        .queued(0, "a", 100);
    metrics.onAdmitted(new AdmittedRecord(1, 0, "new", 8, 0, 5, 0, 0));
    script.step(new Step(1, 0));

    assertThat(scrape().sum("vllm:prefix_cache_hits_total")).isEqualTo(3);
    assertThat(scrape().sum("vllm:external_prefix_cache_queries_total")).isEqualTo(7);
    assertThat(scrape().sum("vllm:external_prefix_cache_hits_total")).isEqualTo(5);
  }

  @Test
  void shouldCountWhatTheHostTierHeldBesideWhatTheDeviceHeld() {
    script.start(Map.of("prefixCaching", "ENABLED", "hostBlocks", "8")).queued(0, "a", 100);
    metrics.onAdmitted(new AdmittedRecord(1, 0, "new", 8, 5, 0));
    script.step(new Step(1, 0));
    metrics.onFirstToken(new FirstTokenRecord(1, 0, 1_900));

    assertThat(scrape().sum("vllm:prefix_cache_queries_total")).isEqualTo(10);
    assertThat(scrape().sum("vllm:prefix_cache_hits_total")).isEqualTo(3);
    assertThat(scrape().sum("vllm:external_prefix_cache_queries_total")).isEqualTo(7);
    assertThat(scrape().sum("vllm:external_prefix_cache_hits_total")).isEqualTo(5);
    assertThat(promptTokens("local_compute")).isEqualTo(2);
    assertThat(promptTokens("local_cache_hit")).isEqualTo(3);
    assertThat(promptTokens("external_kv_transfer")).isEqualTo(5);
  }

  @Test
  void shouldCountTransfersThatAreDone() {
    script.start();
    metrics.onKvTransfer(moved("store_committed", "gpu", "cpu", 3, true));
    metrics.onKvTransfer(moved("completed", "gpu", "cpu", 3, true));
    metrics.onKvTransfer(moved("completed", "cpu", "gpu", 2, true));
    metrics.onKvTransfer(moved("completed", "cpu", "gpu", 7, false));

    assertThat(scrape().sum("headway_saved_kv_blocks_total")).isEqualTo(3);
    assertThat(scrape().sum("headway_loaded_kv_blocks_total")).isEqualTo(2);
  }

  private static KvTransferRecord moved(
      String stage, String from, String to, int blocks, boolean succeeded) {
    return new KvTransferRecord(stage, 1, 0, 1, from, to, blocks, null, succeeded, 0);
  }

  @Test
  void shouldAskNothingOfAHostTierThatIsNotThere() {
    script.start().queued(0, "a", 100).admitted(1, 0).step(new Step(1, 0));

    assertThat(scrape().sum("vllm:prefix_cache_queries_total")).isEqualTo(10);
    assertThat(scrape().sum("vllm:external_prefix_cache_queries_total")).isZero();
  }

  private double promptTokens(String source) {
    return scrape().sum("vllm:prompt_tokens_by_source_total", "source", source);
  }

  @Test
  void shouldBookWaitsToTheReasonsThatHeld() {
    script.start().queued(0, "own", 660).queued(1, "shared", 660);
    metrics.onBlocked(new BlockedRecord(1, 0, "watermark", -1, 0, 0));
    metrics.onAdmissionsClosed(new AdmissionsClosedRecord(1, "head_of_line", 0));
    script.step(new Step(1)); // until 1660 both are new
    metrics.onAdmissionsClosed(new AdmissionsClosedRecord(2, "max_num_seqs", -1));
    script.step(new Step(2)); // until 2660: watermark, head_of_line
    metrics.onUnblocked(new UnblockedRecord(3, 0));
    script.step(new Step(3)); // until 3660: watermark, max_num_seqs
    script.admitted(4, 0).admitted(4, 1).step(new Step(4, 0, 1)); // until 4660 both max_num_seqs
    metrics.flush(0);

    assertThat(waited("initial_waiting")).isEqualTo(2_000);
    assertThat(waited("watermark")).isEqualTo(2_000);
    assertThat(waited("head_of_line")).isEqualTo(1_000);
    assertThat(waited("max_num_seqs")).isEqualTo(1_000 + 2 * 1_000);
    assertThat(scrape().sum("headway_waiting_seconds_total") * 1e9)
        .isCloseTo(2 * 4_000, within(1e-3));
  }

  @Test
  void shouldShowWaitsThatAreNotOver() {
    script.start().queued(0, "a", 1_000).step(new Step(1)).step(new Step(2));

    metrics.flush(0);
    metrics.flush(0);

    assertThat(scrape().sum("headway_waiting_requests", "reason", "unknown")).isEqualTo(1);
    assertThat(scrape().sum("headway_waiting_seconds_total") * 1e9).isCloseTo(1_660, within(1e-3));
  }

  @Test
  void shouldAddUpTheRunsOfAJournal() {
    script.start().queued(0, "a", 10).finished(0, 0, "stop", 20);
    script.start().queued(0, "a", 10).queued(1, "alive", 10).finished(0, 0, "stop", 20);
    script.start();

    assertThat(scrape().sum("vllm:request_success_total", "finished_reason", "stop")).isEqualTo(2);
    assertThat(scrape().sum("vllm:num_requests_waiting")).as("the run before is gone").isZero();
  }

  @Test
  void shouldCountWordsThatANewerWriterKnows() {
    script.start().queued(0, "a", 10).finished(0, 0, "struck_by_lightning", 20);
    metrics.onRejected(new RejectedRecord("b", 30, "bad_weather", "no", 1, 1, 0, null));
    metrics.onDropped(new DroppedRecord(7));

    assertThat(scrape().sum("vllm:request_success_total", "finished_reason", "error")).isEqualTo(1);
    assertThat(scrape().sum("headway_finished_requests_total", "reason", "struck_by_lightning"))
        .isEqualTo(1);
    assertThat(scrape().sum("headway_rejections_total", "reason", "bad_weather")).isEqualTo(1);
    assertThat(scrape().sum("headway_dropped_records_total")).isEqualTo(7);
  }

  @Test
  void shouldBelieveThePlanAfterRecordsWereMissed() {
    script.start().queued(0, "admission missed", 100).queued(1, "end missed", 100).admitted(1, 1);
    script.step(new Step(1, 1));
    metrics.onDropped(new DroppedRecord(2));
    script.step(new Step(2, 0));
    metrics.flush(0);

    assertThat(scrape().sum("vllm:num_requests_running")).isEqualTo(1);
    assertThat(scrape().sum("vllm:num_requests_waiting")).isZero();
    assertThat(scrape().sum("headway_waiting_requests")).isZero();

    script.step(new Step(3));
    metrics.flush(0);

    assertThat(scrape().sum("vllm:num_requests_running")).isZero();
    assertThat(scrape().sum("headway_kv_blocks", "state", "used")).isZero();
  }

  @Test
  void shouldCountRecordsAboutStrangers() {
    script.start().admitted(1, 99).firstToken(1, 99, 5).finished(1, 99, "stop", 6);

    assertThat(scrape().sum("headway_unknown_request_records_total")).isEqualTo(3);
  }

  @Test
  void shouldEscapeNames() {
    final Metrics hostile =
        new Metrics(
            MetricsOptions.defaults().withModelName(RecordedRun.HOSTILE).withEngine("\\\"\n"));
    new Script(hostile).start();

    final PrometheusText scrape = PrometheusText.parse(hostile.text());

    assertThat(scrape.named("vllm:num_requests_running").get(0).labels())
        .containsEntry("model_name", RecordedRun.HOSTILE)
        .containsEntry("engine", "\\\"\n");
  }

  /** Line ends are Prometheus's, not Unicode's: U+2028 in a label is none. */
  @Test
  void shouldRenameOnlyTheHistogramThatIsCalledLikeACounter() {
    final String model = "vllm:iteration_tokens_sum\n\u2028vllm:iteration_tokens_sum";
    final Metrics named = new Metrics(MetricsOptions.defaults().withModelName(model));
    new Script(named).start();

    final PrometheusText scrape = PrometheusText.parse(named.text());

    assertThat(scrape.types())
        .containsEntry("vllm:iteration_tokens_total", "histogram")
        .doesNotContainKey("vllm:iteration_tokens");
    assertThat(scrape.sum("vllm:iteration_tokens_total_count", "model_name", model)).isZero();
  }

  @Test
  void shouldNotMakeSeriesOfRequests() {
    script.start();
    final int before = seriesAfter(10);
    final int after = seriesAfter(10_000);

    assertThat(after).isEqualTo(before);
  }

  @Test
  void shouldServeTheSameText() throws IOException, InterruptedException {
    script.start();
    try (MetricsEndpoint endpoint = MetricsEndpoint.open(metrics, 0);
        Http http = new Http(endpoint.address().getPort())) {
      assertThat(endpoint.address().getAddress().isLoopbackAddress()).isTrue();
      assertThat(http.get("/metrics").body()).isEqualTo(metrics.text());
      assertThat(http.get("/metrics").headers().firstValue("Content-Type"))
          .contains("text/plain; version=0.0.4; charset=utf-8");
      assertThat(http.get("/").statusCode()).isEqualTo(404);
      assertThat(http.send("HEAD", "/metrics").body()).isEmpty();
      assertThat(http.send("POST", "/metrics").statusCode()).isEqualTo(405);
    }
  }

  @Test
  void shouldSayThatAPortIsTaken() throws IOException {
    try (MetricsEndpoint first = MetricsEndpoint.open(metrics, 0)) {
      assertThatThrownBy(() -> MetricsEndpoint.open(metrics, first.address().getPort()))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("metrics address must be free: address=localhost/127.0.0.1:")
          .hasMessageEndingWith(":" + first.address().getPort());
    }
  }

  private int seriesAfter(int requests) {
    for (int i = 0; i < requests; i++) {
      script.queued(i, "id-" + i, i).finished(0, i, "stop", i);
    }
    return scrape().samples().size();
  }

  private double waited(String reason) {
    return Math.rint(scrape().sum("headway_waiting_seconds_total", "reason", reason) * 1e9);
  }

  private PrometheusText scrape() {
    return PrometheusText.parse(metrics.text());
  }
}
