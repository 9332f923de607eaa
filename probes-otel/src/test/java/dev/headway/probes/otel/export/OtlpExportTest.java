package dev.headway.probes.otel.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.events.record.JournalLevel;
import dev.headway.probes.otel.fixture.CollectedSpans;
import dev.headway.probes.otel.fixture.OtlpReceiver;
import dev.headway.probes.otel.fixture.RecordedRun;
import dev.headway.probes.otel.fixture.Script;
import dev.headway.probes.otel.span.OtelSpans;
import dev.headway.probes.otel.span.Sampling;
import dev.headway.probes.otel.span.SpanOptions;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** What leaves the process, byte for byte understood by somebody else's parser. */
class OtlpExportTest {

  private static final SpanOptions EVERYTHING =
      SpanOptions.defaults().withSampling(Sampling.everything()).withNames("my service", null);

  @TempDir private static Path temporary;
  private static Path journal;
  private static CollectedSpans expected;

  @BeforeAll
  static void record() throws IOException {
    journal = RecordedRun.record(temporary.resolve("journal"), JournalLevel.FULL);
    expected = new CollectedSpans();
    RecordedRun.read(journal, new OtelSpans(EVERYTHING, expected));
  }

  private static ExportCounts export(io.opentelemetry.sdk.trace.export.SpanExporter exporter)
      throws IOException {
    final BatchedExport export = new BatchedExport(exporter, WhenFull.WAIT, Duration.ofSeconds(20));
    RecordedRun.read(journal, new OtelSpans(EVERYTHING, export));
    return export.counts();
  }

  @Test
  void shouldSendEverySpanToACollector() throws IOException {
    try (OtlpReceiver receiver = OtlpReceiver.open()) {
      final ExportCounts counts =
          export(
              Exporters.otlpHttp(
                  receiver.endpoint(), Map.of("x-key", "secret"), Duration.ofSeconds(10)));

      assertThat(counts).isEqualTo(new ExportCounts(expected.all().size(), 0, 0));
      assertThat(receiver.headers())
          .containsEntry("content-type", "application/x-protobuf")
          .containsEntry("x-key", "secret");
      final Map<String, Span> sent = new TreeMap<>();
      receiver.spans().forEach(span -> sent.put(hex(span.getSpanId().toByteArray()), span));
      assertThat(sent).hasSize(expected.all().size());
      for (SpanData span : expected.all()) {
        assertSame(sent.get(span.getSpanId()), span);
      }
      assertThat(receiver.requests().get(0).getResourceSpans(0).getResource().getAttributesList())
          .anySatisfy(
              attribute -> {
                assertThat(attribute.getKey()).isEqualTo("service.name");
                assertThat(attribute.getValue().getStringValue()).isEqualTo("my service");
              });
    }
  }

  private static void assertSame(Span sent, SpanData span) {
    assertThat(sent.getName()).isEqualTo(span.getName());
    assertThat(hex(sent.getTraceId().toByteArray())).isEqualTo(span.getTraceId());
    final boolean hasParent = span.getParentSpanContext().isValid();
    assertThat(hex(sent.getParentSpanId().toByteArray()))
        .isEqualTo(hasParent ? span.getParentSpanId() : "");
    assertThat(sent.getKindValue()).isEqualTo(span.getKind().ordinal() + 1);
    assertThat(sent.getStartTimeUnixNano()).isEqualTo(span.getStartEpochNanos());
    assertThat(sent.getEndTimeUnixNano()).isEqualTo(span.getEndEpochNanos());
    assertThat(values(sent.getAttributesList())).isEqualTo(values(span.getAttributes()));
    assertThat(sent.getDroppedEventsCount()).isZero();
    assertThat(sent.getEventsCount()).isEqualTo(span.getEvents().size());
    for (int i = 0; i < sent.getEventsCount(); i++) {
      final EventData event = span.getEvents().get(i);
      assertThat(sent.getEvents(i).getName()).isEqualTo(event.getName());
      assertThat(sent.getEvents(i).getTimeUnixNano()).isEqualTo(event.getEpochNanos());
      assertThat(values(sent.getEvents(i).getAttributesList()))
          .isEqualTo(values(event.getAttributes()));
    }
  }

  @Test
  void shouldWriteTheSameAsLinesOfJson() throws IOException {
    final StringWriter text = new StringWriter();

    assertThat(export(OtlpJsonFile.to(text)).exported()).isEqualTo(expected.all().size());

    final ObjectMapper json = new ObjectMapper();
    final Map<String, JsonNode> written = new TreeMap<>();
    for (String line : text.toString().split("\n")) {
      for (JsonNode resource : json.readTree(line).get("resourceSpans")) {
        for (JsonNode scope : resource.get("scopeSpans")) {
          scope.get("spans").forEach(span -> written.put(span.get("spanId").stringValue(), span));
        }
      }
    }
    assertThat(written).hasSize(expected.all().size());
    for (SpanData span : expected.all()) {
      final JsonNode node = written.get(span.getSpanId());
      assertThat(node.get("name").stringValue()).isEqualTo(span.getName());
      assertThat(node.get("traceId").stringValue()).isEqualTo(span.getTraceId());
      assertThat(node.get("startTimeUnixNano").stringValue())
          .isEqualTo(String.valueOf(span.getStartEpochNanos()));
      assertThat(values(node.get("attributes"))).isEqualTo(values(span.getAttributes()));
      assertThat(node.get("events").size()).isEqualTo(span.getEvents().size());
      for (int i = 0; i < span.getEvents().size(); i++) {
        assertThat(values(node.get("events").get(i).get("attributes")))
            .isEqualTo(values(span.getEvents().get(i).getAttributes()));
      }
    }
  }

  @Test
  void shouldCarryHostileTextUnchanged() throws IOException {
    final StringWriter text = new StringWriter();
    export(OtlpJsonFile.to(text));

    assertThat(values(expected.of("llm_core", "r2").getAttributes()))
        .containsEntry("headway.tenant", RecordedRun.HOSTILE);
    final long lines = text.toString().lines().count();
    assertThat(lines).as("a line break in a name breaks no line").isEqualTo(1);
  }

  @Test
  void shouldWriteAnIdThatIsNoText() throws IOException {
    final Path file = temporary.resolve("no-text.jsonl");
    final String id = "half \uD83D pair, \u0000, " + RecordedRun.HOSTILE;
    final BatchedExport export =
        new BatchedExport(
            OtlpJsonFile.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            WhenFull.WAIT,
            Duration.ofSeconds(1));
    final OtelSpans spans = new OtelSpans(EVERYTHING, export);

    new Script(spans).start().queued(0, id, 1).finished(0, 0, "stop", 2);
    spans.close();

    assertThat(export.counts()).isEqualTo(new ExportCounts(1, 0, 0));
    final JsonNode span =
        new ObjectMapper().readTree(file).at("/resourceSpans/0/scopeSpans/0/spans/0");
    assertThat(values(span.get("attributes")))
        .containsEntry("gen_ai.request.id", "half ? pair, \u0000, " + RecordedRun.HOSTILE);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 500})
  void shouldCountWhatACollectorRefuses(int status) throws IOException {
    try (OtlpReceiver receiver = OtlpReceiver.open(status)) {
      final ExportCounts counts =
          export(Exporters.otlpHttp(receiver.endpoint(), Map.of(), Duration.ofSeconds(2)));

      assertThat(counts).isEqualTo(new ExportCounts(0, expected.all().size(), 0));
    }
  }

  @Test
  void shouldCountWhatNobodyTakes() throws IOException {
    final String endpoint;
    try (OtlpReceiver receiver = OtlpReceiver.open()) {
      endpoint = receiver.endpoint();
    }

    final ExportCounts counts =
        export(Exporters.otlpHttp(endpoint, Map.of(), Duration.ofSeconds(2)));

    assertThat(counts.failed()).isEqualTo(expected.all().size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost:4318", "ftp://host/", "http://", "", "http://bad host/"})
  void shouldRefuseAnEndpointThatIsNone(String endpoint) {
    assertThatThrownBy(() -> Exporters.otlpHttp(endpoint, Map.of(), Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "endpoint must be an http or https URL such as http://localhost:4318: endpoint="
                + endpoint);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static Map<String, Object> values(Attributes attributes) {
    final Map<String, Object> values = new TreeMap<>();
    attributes.forEach((key, value) -> values.put(key.getKey(), value));
    return values;
  }

  private static Map<String, Object> values(List<KeyValue> attributes) {
    final Map<String, Object> values = new TreeMap<>();
    for (KeyValue attribute : attributes) {
      final var value = attribute.getValue();
      values.put(
          attribute.getKey(),
          switch (value.getValueCase()) {
            case BOOL_VALUE -> value.getBoolValue();
            case INT_VALUE -> value.getIntValue();
            case DOUBLE_VALUE -> value.getDoubleValue();
            default -> value.getStringValue();
          });
    }
    return values;
  }

  private static Map<String, Object> values(JsonNode attributes) {
    final Map<String, Object> values = new TreeMap<>();
    for (JsonNode attribute : attributes) {
      final Map.Entry<String, JsonNode> value =
          attribute.get("value").properties().iterator().next();
      values.put(
          attribute.get("key").stringValue(),
          switch (value.getKey()) {
            case "boolValue" -> value.getValue().booleanValue();
            case "intValue" -> Long.valueOf(value.getValue().stringValue());
            case "doubleValue" -> value.getValue().doubleValue();
            default -> value.getValue().stringValue();
          });
    }
    return values;
  }
}
