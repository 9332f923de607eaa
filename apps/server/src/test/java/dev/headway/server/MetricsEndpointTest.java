package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.live.LiveProbe;
import dev.headway.probes.otel.fixture.PrometheusText;
import dev.headway.probes.otel.metric.Metrics;
import dev.headway.probes.otel.metric.MetricsOptions;
import dev.headway.serving.TextExecutor;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A scrape over HTTP of a server that has answered. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MetricsEndpointTest {

  @Test
  void shouldGiveAScraperWhatTheServerHasDone() {
    final Served.Setup setup = new Served.Setup();
    setup.metrics = new Metrics(MetricsOptions.defaults().withModelName(Served.MODEL));
    setup.probe(LiveProbe.of(setup.metrics));
    try (Served served = setup.start(new TextExecutor("text", 200))) {
      served.answer("/v1/completions", "{\"prompt\":\"abc\",\"max_tokens\":2}");
      served.answer("/v1/completions", "{\"prompt\":\"abcde\",\"n\":2}");
      Watch.until("they are counted", () -> ended(served) == 3);

      final HttpResponse<String> response = served.get("/metrics");
      final PrometheusText scrape = PrometheusText.parse(response.body());

      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("Content-Type"))
          .hasValue("text/plain; version=0.0.4; charset=utf-8");
      assertThat(scrape.sum("vllm:request_success_total", "finished_reason", "length")).isOne();
      assertThat(scrape.sum("vllm:request_success_total", "finished_reason", "stop")).isEqualTo(2);
      assertThat(scrape.sum("vllm:prompt_tokens_total", "model_name", Served.MODEL))
          .isEqualTo(3 + 5 + 5);
      assertThat(scrape.sum("vllm:generation_tokens_total")).isEqualTo(2 + 5 + 5);
      assertThat(scrape.sum("vllm:time_to_first_token_seconds_count")).isEqualTo(3);
      assertThat(scrape.sum("vllm:num_requests_running")).isZero();
    }
  }

  @Test
  void shouldHaveNoneUnlessSwitchedOn() {
    try (Served served = Served.of(new TextExecutor("text", 200))) {
      final HttpResponse<String> response = served.get("/metrics");

      assertThat(response.statusCode()).isEqualTo(404);
      assertThat(response.body()).contains("--metrics");
    }
  }

  /** Requests that a scrape has seen end; there is no series before the first. */
  private static double ended(Served served) {
    return PrometheusText.parse(served.get("/metrics").body())
        .named("vllm:request_success_total")
        .stream()
        .mapToDouble(PrometheusText.Sample::value)
        .sum();
  }
}
