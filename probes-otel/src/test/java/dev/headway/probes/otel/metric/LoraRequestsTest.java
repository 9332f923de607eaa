package dev.headway.probes.otel.metric;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.record.QueuedRecord;
import dev.headway.probes.otel.fixture.PrometheusText;
import dev.headway.probes.otel.fixture.Script;
import dev.headway.probes.otel.fixture.Step;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which LoRA adapters requests use, in the one series that routers read. */
class LoraRequestsTest {

  private static final String NAME = "vllm:lora_requests_info";
  private static final Map<String, String> TWO_ADAPTERS =
      Map.of("maxLoras", "2", "maxNumSeqs", "8", "prefixCaching", "ENABLED");

  private final Metrics metrics = new Metrics(MetricsOptions.defaults());
  private final Script script = new Script(metrics);

  private void queued(long number, String adapter) {
    metrics.onQueued(
        new QueuedRecord(
            number, "r" + number, 100, 100, 10, 100, 0, 0, null, ABSENT, ABSENT, adapter, null));
  }

  private List<PrometheusText.Sample> series() {
    metrics.flush(0);
    return PrometheusText.parse(metrics.text()).named(NAME);
  }

  private static Map<String, String> labels(String most, String running, String waiting) {
    return Map.of(
        "max_lora", most, "running_lora_adapters", running, "waiting_lora_adapters", waiting);
  }

  @Test
  void shouldListTheAdaptersOfRequestsThatRunAndWait() {
    script.start(TWO_ADAPTERS);
    queued(0, "sql");
    queued(1, "chat");
    queued(2, "chat");
    queued(3, null);
    queued(4, "legal");
    script.admitted(1, 0).admitted(1, 1).admitted(1, 2).admitted(1, 3);
    script.step(new Step(1, 0, 1, 2, 3));

    assertThat(series())
        .singleElement()
        .satisfies(
            sample -> {
              assertThat(sample.labels()).isEqualTo(labels("2", "chat,sql", "legal"));
              assertThat(sample.value()).isEqualTo((Script.EPOCH_NS + 1_660) / 1e9);
            });
  }

  @Test
  void shouldHaveOneSeriesWhateverTheAdapters() {
    script.start(TWO_ADAPTERS);
    queued(0, "sql");
    assertThat(series())
        .extracting(PrometheusText.Sample::labels)
        .containsExactly(labels("2", "", "sql"));

    script.admitted(1, 0).step(new Step(1, 0));
    assertThat(series())
        .extracting(PrometheusText.Sample::labels)
        .containsExactly(labels("2", "sql", ""));

    script.end(5_000);
    metrics.close();
    assertThat(PrometheusText.parse(metrics.text()).named(NAME))
        .extracting(PrometheusText.Sample::labels)
        .containsExactly(labels("2", "", ""));
  }

  @Test
  void shouldSayTheLimitBeforeAnyRequestWhereThereIsOne() {
    script.start(TWO_ADAPTERS);

    assertThat(series())
        .extracting(PrometheusText.Sample::labels)
        .containsExactly(labels("2", "", ""));
  }

  @Test
  void shouldHaveNoneWithoutAdapters() {
    script.start(Map.of("maxLoras", "0", "maxNumSeqs", "8"));
    queued(0, null);

    assertThat(series()).isEmpty();
    queued(1, "sql");
    assertThat(series())
        .extracting(PrometheusText.Sample::labels)
        .as("as many adapters as sequences, at most")
        .containsExactly(labels("8", "", "sql"));
  }

  @Test
  void shouldForgetTheAdaptersOfTheRunBefore() {
    script.start(TWO_ADAPTERS);
    queued(0, "sql");
    assertThat(series()).hasSize(1);

    script.start(Map.of("maxLoras", "0", "maxNumSeqs", "8"));

    assertThat(series()).isEmpty();
  }

  private List<PrometheusText.Sample> counts() {
    metrics.flush(0);
    return PrometheusText.parse(metrics.text()).named("headway_lora_requests");
  }

  private static String counted(PrometheusText.Sample sample) {
    return "%s %s %.0f"
        .formatted(sample.labels().get("lora_name"), sample.labels().get("state"), sample.value());
  }

  @Test
  void shouldCountTheRequestsOfEachAdapter() {
    script.start(TWO_ADAPTERS);
    queued(0, "sql");
    queued(1, "chat");
    queued(2, "chat");
    queued(3, null);
    script.admitted(1, 0).admitted(1, 1).step(new Step(1, 0, 1));

    assertThat(counts())
        .extracting(LoraRequestsTest::counted)
        .containsExactlyInAnyOrder(
            "chat running 1", "chat waiting 1", "sql running 1", "sql waiting 0");

    script.end(5_000);
    metrics.close();
    assertThat(PrometheusText.parse(metrics.text()).named("headway_lora_requests")).isEmpty();
  }

  @Test
  void shouldHaveSeriesOfSoManyAdaptersOnlyAndTheOthersTogether() {
    script.start(TWO_ADAPTERS);
    for (int i = 0; i < LoraRequests.MOST_ADAPTERS + 7; i++) {
      queued(i, "adapter-%03d".formatted(i));
    }

    assertThat(counts())
        .hasSize(2 * (LoraRequests.MOST_ADAPTERS + 1))
        .extracting(LoraRequestsTest::counted)
        .contains("adapter-099 waiting 1", "(others) waiting 7", "(others) running 0");
  }
}
