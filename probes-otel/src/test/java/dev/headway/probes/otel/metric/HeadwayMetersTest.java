package dev.headway.probes.otel.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.events.live.LiveProbe;
import dev.headway.events.record.AdmissionsClosedRecord;
import dev.headway.events.record.DroppedRecord;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.RejectedRecord;
import dev.headway.probes.otel.fixture.PrometheusText;
import dev.headway.probes.otel.fixture.RecordedRun;
import dev.headway.probes.otel.fixture.Script;
import dev.headway.probes.otel.fixture.Step;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Meters of records made by hand, and of a real run beside the Prometheus metrics of it. */
class HeadwayMetersTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final HeadwayMeters meters = new HeadwayMeters();
  private final Script script = new Script(meters);

  @TempDir private Path temporary;

  @Test
  void shouldShowWhoRunsAndWhyOthersWait() {
    meters.bindTo(registry);

    script.start().queued(0, "a", 100).queued(1, "b", 100).admitted(1, 0);
    meters.onAdmissionsClosed(new AdmissionsClosedRecord(1, "max_num_seqs", -1));
    script.step(new Step(1, 0)).step(new Step(2, 0));

    assertThat(value("headway.requests.running")).isEqualTo(1);
    assertThat(value("headway.requests.waiting", "reason", "max_num_seqs")).isEqualTo(1);
    assertThat(value("headway.requests.waited", "reason", "max_num_seqs")).isPositive();
    assertThat(value("headway.kv.usage")).isCloseTo(0.01, within(1e-9));
  }

  @Test
  void shouldTellARegistryThatIsBoundLateWhatHappenedBefore() {
    script.start().queued(0, "a", 10).admitted(1, 0).step(new Step(1, 0)).preempted(2, 0);
    script.step(new Step(2)).finished(0, 0, "stop", 5_000);
    meters.onRejected(new RejectedRecord("b", 30, "queue_full", "no", 1, 1, 0, null));
    meters.onDropped(new DroppedRecord(7));

    meters.bindTo(registry);
    meters.bindTo(registry);

    assertThat(value("headway.requests.preempted", "cause", "kv_blocks")).isEqualTo(1);
    assertThat(value("headway.requests.finished", "reason", "stop")).isEqualTo(1);
    assertThat(value("headway.requests.rejected", "reason", "queue_full")).isEqualTo(1);
    assertThat(value("headway.records.dropped")).isEqualTo(7);
    assertThat(registry.get("headway.requests.queue.time").timer().count())
        .as("timers begin with the binding")
        .isZero();
  }

  @Test
  void shouldTellEnginesOfARegistryApart() {
    final HeadwayMeters other = new HeadwayMeters(Tags.of("engine", "b"));
    final HeadwayMeters first = new HeadwayMeters(Tags.of("engine", "a"));
    first.bindTo(registry);
    other.bindTo(registry);

    new Script(first).start().queued(0, "a", 10).admitted(1, 0).step(new Step(1, 0));
    new Script(other).start();

    assertThat(value("headway.requests.running", "engine", "a")).isEqualTo(1);
    assertThat(value("headway.requests.running", "engine", "b")).isZero();
  }

  @Test
  void shouldShowNobodyOnceTheEngineHasEnded() {
    meters.bindTo(registry);
    script.start().queued(0, "a", 10).queued(1, "b", 10).admitted(1, 0).step(new Step(1, 0));

    meters.close();

    assertThat(value("headway.requests.running")).isZero();
    assertThat(value("headway.requests.waiting")).isZero();
    assertThat(value("headway.kv.usage")).isZero();
  }

  /** While it ran: it is also what its journal gives. */
  @Test
  void shouldAgreeWithThePrometheusMetricsOfARealRun() throws IOException {
    meters.bindTo(registry);
    final Path journal =
        RecordedRun.record(temporary.resolve("journal"), JournalLevel.FULL, LiveProbe.of(meters));
    final Metrics metrics = new Metrics(MetricsOptions.defaults());
    RecordedRun.read(journal, metrics);
    final PrometheusText scrape = PrometheusText.parse(metrics.text());

    assertThat(value("headway.requests.finished"))
        .isEqualTo(scrape.sum("headway_finished_requests_total"));
    assertThat(value("headway.requests.finished", "reason", "deadline"))
        .isEqualTo(scrape.sum("headway_finished_requests_total", "reason", "deadline"));
    assertThat(value("headway.requests.rejected"))
        .isEqualTo(scrape.sum("headway_rejections_total"));
    assertThat(value("headway.requests.preempted"))
        .isEqualTo(scrape.sum("headway_preemptions_total"))
        .isPositive();
    assertThat(value("headway.requests.waited"))
        .isCloseTo(scrape.sum("headway_waiting_seconds_total"), within(1e-6));
    assertThat(value("headway.tokens", "type", "prompt"))
        .isEqualTo(scrape.sum("vllm:prompt_tokens_total"));
    assertThat(value("headway.tokens", "type", "generated"))
        .isEqualTo(scrape.sum("vllm:generation_tokens_total"));
    assertSameTimes(scrape, "headway.requests.queue.time", "headway_queue_time_seconds");
    assertSameTimes(
        scrape, "headway.requests.time.to.first.token", "vllm:time_to_first_token_seconds");
    assertSameTimes(
        scrape, "headway.requests.inter.token.latency", "vllm:inter_token_latency_seconds");
  }

  private void assertSameTimes(PrometheusText scrape, String timer, String histogram) {
    final Timer times = registry.get(timer).timer();
    assertThat((double) times.count()).as(timer).isEqualTo(scrape.sum(histogram + "_count"));
    assertThat(times.totalTime(TimeUnit.SECONDS))
        .as(timer)
        .isCloseTo(scrape.sum(histogram + "_sum"), within(1e-6));
  }

  /** The sum over all meters of a name with these tags. */
  private double value(String name, String... tags) {
    assertThat(registry.find(name).tags(tags).meters())
        .as("%s %s", name, Arrays.toString(tags))
        .isNotEmpty();
    return registry.find(name).tags(tags).meters().stream()
        .map(Meter::measure)
        .flatMap(measured -> StreamSupport.stream(measured.spliterator(), false))
        .mapToDouble(measurement -> measurement.getValue())
        .sum();
  }
}
