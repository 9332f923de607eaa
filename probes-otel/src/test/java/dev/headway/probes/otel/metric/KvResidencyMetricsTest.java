package dev.headway.probes.otel.metric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.DurationHistogram;
import dev.headway.api.kvcache.KvResidency;
import dev.headway.probes.otel.fixture.PrometheusText;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How long sampled KV blocks stay, by vLLM's names. */
class KvResidencyMetricsTest {

  private static DurationHistogram of(long... durationsNs) {
    final long[] counts = new long[DurationHistogram.RANGES];
    long sumNs = 0;
    for (long duration : durationsNs) {
      counts[DurationHistogram.rangeOf(duration)]++;
      sumNs += duration;
    }
    return new DurationHistogram(counts, sumNs);
  }

  @Test
  void shouldShowWhatTheCacheHasMeasuredAtEachScrape() {
    final KvResidency[] measured = {KvResidency.NONE};
    final Metrics metrics = new Metrics(MetricsOptions.defaults());
    metrics.showResidency("llama", () -> measured[0]);
    assertThat(PrometheusText.parse(metrics.text()).named("vllm:kv_block_lifetime_seconds_count"))
        .extracting(PrometheusText.Sample::value)
        .containsExactly(0.0);

    measured[0] =
        new KvResidency(
            of(1_500_000_000L, 7_200_000_000_000L), of(1_000_000), of(2_000_000, 2_000_001));

    final PrometheusText text = PrometheusText.parse(metrics.text());
    assertThat(text.named("vllm:kv_block_lifetime_seconds_sum"))
        .singleElement()
        .satisfies(
            sample -> {
              assertThat(sample.value()).isEqualTo(7_201.5);
              assertThat(sample.labels()).isEqualTo(Map.of("model_name", "llama", "engine", "0"));
            });
    assertThat(bucket(text, "lifetime", 2)).isEqualTo(1);
    assertThat(bucket(text, "lifetime", 1_800)).isEqualTo(1);
    assertThat(bucket(text, "lifetime", Double.POSITIVE_INFINITY)).isEqualTo(2);
    assertThat(bucket(text, "idle_before_evict", 0.001)).isEqualTo(1);
    assertThat(bucket(text, "reuse_gap", 0.002)).isEqualTo(1);
    assertThat(bucket(text, "reuse_gap", 0.005)).isEqualTo(2);
  }

  private static double bucket(PrometheusText text, String what, double end) {
    return text.named("vllm:kv_block_" + what + "_seconds_bucket").stream()
        .filter(sample -> number(sample.labels().get("le")) == end)
        .findFirst()
        .orElseThrow()
        .value();
  }

  private static double number(String end) {
    return end.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(end);
  }
}
