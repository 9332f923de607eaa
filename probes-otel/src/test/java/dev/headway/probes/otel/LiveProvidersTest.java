package dev.headway.probes.otel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.api.probe.RunInfo;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.otel.export.BatchedExport;
import dev.headway.probes.otel.export.OtlpJsonFile;
import dev.headway.probes.otel.export.WhenFull;
import dev.headway.probes.otel.fixture.RecordedRun;
import dev.headway.probes.otel.span.OtelSpans;
import dev.headway.probes.otel.span.Sampling;
import dev.headway.probes.otel.span.SpanOptions;
import dev.headway.testkit.FakeRun;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Probes by name, on a running engine: what they export is what its journal gives. */
class LiveProvidersTest {

  @TempDir private Path temporary;

  @Test
  void shouldExportTheSpansOfTheJournalWhileTheEngineRuns() throws Exception {
    final Path live = temporary.resolve("live.jsonl");
    final Probe probe =
        create("otlp", Map.of("file", live.toString(), "stepRate", "1", "overflow", "block"));

    final Path journal = RecordedRun.record(temporary.resolve("journal"), JournalLevel.FULL, probe);

    final Path read = temporary.resolve("read.jsonl");
    final Sampling sampling = Sampling.defaults().withRates(1, 1, 0.001);
    final OtlpJsonFile file = OtlpJsonFile.open(read, StandardOpenOption.CREATE_NEW);
    RecordedRun.read(
        journal,
        new OtelSpans(
            SpanOptions.defaults().withSampling(sampling),
            new BatchedExport(file, WhenFull.WAIT, Duration.ofSeconds(5))));
    // a batch is grouped by instrumentation scope, and where one ends depends on time
    assertThat(spansOf(live))
        .hasSizeGreaterThan(40)
        .containsExactlyInAnyOrderElementsOf(spansOf(read));
  }

  /** A service that is started again, after its first process died in the middle of a line. */
  @Test
  void shouldGoOnBehindTheSpansOfAnEarlierStart() throws Exception {
    final Path file = temporary.resolve("spans.jsonl");
    Files.writeString(file, "{\"resourceSpans\":[]}\n{\"resourceSp");
    final Probe probe =
        create("otlp", Map.of("file", file.toString(), "stepRate", "1", "overflow", "block"));

    RecordedRun.record(temporary.resolve("journal"), JournalLevel.FULL, probe);

    final List<String> lines = Files.readAllLines(file);
    assertThat(lines.subList(0, 2)).containsExactly("{\"resourceSpans\":[]}", "{\"resourceSp");
    assertThat(lines.subList(2, lines.size()))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(line).startsWith("{\"resourceSpans\":[{").endsWith("]}"));
  }

  @Test
  void shouldServeMetricsUntilTheEngineEnds() throws Exception {
    final int port = freePort();
    final URI scrape = URI.create("http://localhost:" + port + "/metrics");
    final HttpClient client = HttpClient.newHttpClient();
    try (Probe probe =
        create("prometheus", Map.of("port", "" + port, "engine", "7", "compat", "sglang"))) {
      probe.onRunStarted(run());
      String text = get(client, scrape);
      // until the other thread has heard of the run: it makes one meter after the other
      while (!text.contains("sglang:queue_time_seconds_count")
          || !text.contains("sglang:num_running_reqs{")) {
        text = get(client, scrape);
      }

      assertThat(text).contains("vllm:num_requests_running{engine=\"7\"");
    }

    assertThatThrownBy(() -> get(client, scrape)).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "otlp | journeyRate | 2 | otlp option journeyRate must be a number in [0, 1]:",
        "otlp | parent | mother | otlp option parent must be among [ignore_sampled_bit,",
        "otlp | endpoint | nowhere | endpoint must be an http or https URL such as",
        "otlp | url | x | otlp options must be among [closureInterval, endpoint, file,",
        "prometheus | port | 70000 | prometheus option port must be a number in [0, 65535]:",
        "prometheus | compat | trtllm | prometheus option compat must be among [vllm, sglang]:"
      })
  void shouldRefuseOptionsThatAreNone(String name, String option, String value, String message) {
    assertThatThrownBy(() -> create(name, Map.of(option, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void shouldWantToKnowWhereSpansGo() {
    assertThatThrownBy(() -> create("otlp", Map.of()))
        .hasMessage("otlp option endpoint must be set: options={}");
    assertThatThrownBy(() -> create("otlp", Map.of("file", "a", "endpoint", "http://b")))
        .hasMessage(
            "otlp options endpoint and file must not both be set: endpoint=http://b, file=a");
  }

  /** Batches end where a second does, so lines may differ; spans may not. */
  private static List<String> spansOf(Path file) throws IOException {
    final Matcher spans =
        Pattern.compile(
                "\\{\"traceId\":\"\\w+\",\"spanId\":\"\\w+\".*?\\}(?=,\\{\"traceId|\\]\\}\\])")
            .matcher(Files.readString(file));
    return spans.results().map(MatchResult::group).toList();
  }

  private static Probe create(String name, Map<String, String> options) throws Exception {
    final ProbeProvider provider =
        ServiceLoader.load(ProbeProvider.class).stream()
            .map(Provider::get)
            .filter(each -> each.name().equals(name))
            .findFirst()
            .orElseThrow();
    return provider.create(new ProbeContext(run(), options));
  }

  private static RunInfo run() {
    return FakeRun.builder(64).build();
  }

  private static String get(HttpClient client, URI uri) throws Exception {
    return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
