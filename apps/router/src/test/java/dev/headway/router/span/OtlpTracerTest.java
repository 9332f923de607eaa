package dev.headway.router.span;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.probes.otel.export.ExportCounts;
import dev.headway.probes.otel.export.OtlpJsonFile;
import dev.headway.router.record.Attempt;
import dev.headway.router.record.RequestTrace;
import dev.headway.router.record.RoutedRequest;
import dev.headway.router.record.SampleAttempts;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is exported of a request, and what its workers are told. */
class OtlpTracerTest {

  private static final String CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-";

  private final StringWriter lines = new StringWriter();

  private OtlpTracer tracer(double rate) {
    return OtlpTracer.open(OtlpJsonFile.to(lines), Duration.ofSeconds(10), "headway-router", rate);
  }

  private static RoutedRequest request(int status, String failure) {
    return new RoutedRequest(
        "r1", "POST", "/v1/chat/completions", "tiny", 64, 1_000, 9_500, status, failure);
  }

  private List<JsonNode> spans() {
    return lines
        .toString()
        .lines()
        .flatMap(line -> JsonMapper.shared().readTree(line).path("resourceSpans").valueStream())
        .flatMap(resource -> resource.path("scopeSpans").valueStream())
        .flatMap(scope -> scope.path("spans").valueStream())
        .toList();
  }

  /** Attributes by name, as JSON. */
  private static Map<String, String> attributes(JsonNode span) {
    final Map<String, String> attributes = new TreeMap<>();
    for (JsonNode each : span.path("attributes")) {
      attributes.put(
          each.path("key").stringValue(),
          each.path("value").valueStream().findFirst().orElseThrow().toString());
    }
    return attributes;
  }

  @Test
  void shouldPutTheDecisionIntoTheSpanOfItsAttempt() {
    try (OtlpTracer given = tracer(1)) {
      final RequestTrace trace = given.begin(null);
      trace.beginAttempt();
      trace.onAttempt(SampleAttempts.completed("r1", 1));
      trace.onEnd(request(200, null));
    }

    final JsonNode attempt = spans().get(1);
    assertThat(attempt.path("name").stringValue()).isEqualTo("POST /v1/chat/completions");
    assertThat(attempt.path("kind").intValue()).isEqualTo(3);
    assertThat(attempt.path("status").isEmpty()).isTrue();
    assertThat(attributes(attempt))
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                Map.entry("http.request.method", "\"POST\""),
                Map.entry("http.request.resend_count", "\"1\""),
                Map.entry("http.response.status_code", "\"200\""),
                Map.entry("http.response.body.size", "\"4321\""),
                Map.entry("server.address", "\"b\""),
                Map.entry("server.port", "\"8000\""),
                Map.entry("url.full", "\"http://b:8000/v1/chat/completions\""),
                Map.entry("gen_ai.operation.name", "\"chat\""),
                Map.entry("gen_ai.request.model", "\"tiny\""),
                Map.entry("headway.routing.policy", "\"cache-aware\""),
                Map.entry("headway.routing.branch", "\"cache_hit\""),
                Map.entry("headway.routing.worker", "\"b\""),
                Map.entry("headway.routing.candidates", "\"2\""),
                Map.entry(
                    "headway.routing.refused",
                    "{\"values\":[{\"stringValue\":\"c=circuit breaker open\"}]}"),
                Map.entry("headway.routing.decision_ns", "\"250\""),
                Map.entry("headway.routing.signal_age_ns", "\"700\""),
                Map.entry("headway.routing.load", "\"0\""),
                Map.entry("headway.routing.min_load", "\"0\""),
                Map.entry("headway.routing.max_load", "\"0\""),
                Map.entry("headway.routing.prompt_units", "\"40\""),
                Map.entry("headway.routing.matched_units", "\"32\""),
                Map.entry("headway.routing.score.saved", "32.0"),
                Map.entry("headway.routing.score.pending", "-4.0"),
                Map.entry("headway.routing.total", "60.0"),
                Map.entry("headway.routing.best_other.worker", "\"a\""),
                Map.entry("headway.routing.best_other.score.saved", "0.0"),
                Map.entry("headway.routing.best_other.score.pending", "-1.5"),
                Map.entry("headway.routing.best_other.total", "-1.5"),
                Map.entry("headway.routing.outcome", "\"completed\"")));
    final long startNs = attempt.path("startTimeUnixNano").asLong();
    assertThat(attempt.path("endTimeUnixNano").asLong() - startNs).isEqualTo(9_000 - 1_350);
    assertThat(attempt.path("events"))
        .extracting(
            event -> event.path("name").stringValue(),
            event -> event.path("timeUnixNano").asLong() - startNs)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("headway.routing.sent", 350L),
            org.assertj.core.groups.Tuple.tuple("headway.routing.head", 650L),
            org.assertj.core.groups.Tuple.tuple("headway.routing.first_byte", 1_150L));
  }

  @Test
  void shouldPutTheWholeRequestIntoTheSpanAbove() {
    try (OtlpTracer given = tracer(1)) {
      final RequestTrace trace = given.begin(CALLER + "01");
      trace.beginAttempt();
      trace.onAttempt(SampleAttempts.failed("r1", "the worker closed the connection"));
      trace.beginAttempt();
      trace.onAttempt(SampleAttempts.completed("r1", 1));
      trace.onEnd(request(200, null));
    }

    assertThat(spans()).hasSize(3);
    final JsonNode request = spans().getFirst();
    assertThat(request.path("parentSpanId").stringValue()).isEqualTo("b7ad6b7169203331");
    assertThat(request.path("kind").intValue()).isEqualTo(2);
    assertThat(request.path("status").isEmpty()).isTrue();
    assertThat(attributes(request))
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                Map.entry("http.request.method", "\"POST\""),
                Map.entry("http.route", "\"/v1/chat/completions\""),
                Map.entry("http.response.status_code", "\"200\""),
                Map.entry("url.path", "\"/v1/chat/completions\""),
                Map.entry("url.scheme", "\"http\""),
                Map.entry("gen_ai.operation.name", "\"chat\""),
                Map.entry("gen_ai.request.model", "\"tiny\""),
                Map.entry("gen_ai.request.max_tokens", "\"64\""),
                Map.entry("gen_ai.request.id", "\"r1\""),
                Map.entry("headway.routing.attempts", "\"2\""),
                Map.entry("headway.routing.outcome", "\"completed\"")));
    final JsonNode failed = spans().get(1);
    assertThat(failed.path("status").path("code").intValue()).isEqualTo(2);
    assertThat(failed.path("status").path("message").stringValue())
        .isEqualTo("the worker closed the connection");
    assertThat(attributes(failed))
        .containsEntry("error.type", "\"failed\"")
        .doesNotContainKeys("http.response.status_code", "http.request.resend_count");
    assertThat(spans())
        .allSatisfy(
            span ->
                assertThat(span.path("traceId").stringValue())
                    .isEqualTo("0af7651916cd43dd8448eb211c80319c"));
    assertThat(spans().subList(1, 3))
        .allSatisfy(
            span ->
                assertThat(span.path("parentSpanId").stringValue())
                    .isEqualTo(request.path("spanId").stringValue()));
  }

  @Test
  void shouldSayWhyEachWorkerWasRefusedWhenNoneWasLeft() {
    try (OtlpTracer given = tracer(1)) {
      final RequestTrace trace = given.begin(null);
      trace.beginAttempt();
      trace.onAttempt(SampleAttempts.noWorker("r1"));
      trace.onEnd(request(503, "no_worker"));
    }

    final JsonNode attempt = spans().get(1);
    assertThat(attempt.path("name").stringValue()).isEqualTo("route");
    assertThat(attempt.path("kind").intValue()).isEqualTo(1);
    assertThat(attributes(attempt))
        .containsEntry("error.type", "\"no_worker\"")
        .containsEntry("headway.routing.candidates", "\"0\"")
        .doesNotContainKeys("server.address", "headway.routing.worker");
    assertThat(attributes(attempt).get("headway.routing.refused"))
        .contains("a=not healthy yet", "b=unhealthy: answered 500", "c=circuit breaker open");
    assertThat(attributes(spans().getFirst())).containsEntry("error.type", "\"no_worker\"");
  }

  /** A stream that breaks off was answered 200, and failed all the same. */
  @ParameterizedTest
  @CsvSource({
    "200, worker_failed, 2, worker_failed",
    "503, , 2, 503",
    "429, rate_limited, 0, ",
    "499, client_gone, 0, "
  })
  void shouldTellFailuresOfTheRouterFromThoseOfClients(
      int status, String failure, int code, String errorType) {
    try (OtlpTracer given = tracer(1)) {
      given.begin(null).onEnd(request(status, failure));
    }

    final JsonNode span = spans().getFirst();
    assertThat(span.path("status").path("code").asInt(0)).isEqualTo(code);
    assertThat(attributes(span).get("error.type"))
        .isEqualTo(errorType == null ? null : "\"" + errorType + "\"");
    assertThat(attributes(span).containsKey("http.response.status_code")).isEqualTo(status != 499);
  }

  @Test
  void shouldGiveWorkersTheSpanOfTheirAttemptAsParent() {
    final String first;
    final String second;
    try (OtlpTracer given = tracer(1)) {
      final RequestTrace trace = given.begin(CALLER + "03");
      first = trace.beginAttempt();
      trace.onAttempt(SampleAttempts.failed("r1", "refused"));
      second = trace.beginAttempt();
      trace.onAttempt(SampleAttempts.completed("r1", 1));
      trace.onEnd(request(200, null));
    }

    assertThat(List.of(first, second))
        .containsExactly(
            "00-0af7651916cd43dd8448eb211c80319c-"
                + spans().get(1).path("spanId").stringValue()
                + "-03",
            "00-0af7651916cd43dd8448eb211c80319c-"
                + spans().get(2).path("spanId").stringValue()
                + "-03");
  }

  @Test
  void shouldExportNothingOfATraceThatTheCallerDoesNotSample() {
    final String passedOn;
    try (OtlpTracer given = tracer(1)) {
      final RequestTrace trace = given.begin(CALLER + "00");
      passedOn = trace.beginAttempt();
      trace.onAttempt(SampleAttempts.completed("r1", 0));
      trace.onEnd(request(200, null));
    }

    assertThat(passedOn).as("what the caller sent is passed on").isNull();
    assertThat(spans()).isEmpty();
  }

  @Test
  void shouldTellWorkersThatATraceOfItsOwnIsNotSampled() {
    final List<String> passedOn;
    try (OtlpTracer given = tracer(0)) {
      final RequestTrace trace = given.begin(null);
      passedOn = List.of(trace.beginAttempt(), trace.beginAttempt());
      trace.onEnd(request(200, null));
    }

    assertThat(passedOn.getFirst()).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00");
    assertThat(passedOn.getLast()).isEqualTo(passedOn.getFirst());
    assertThat(spans()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nonsense", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"})
  void shouldBeginATraceWhereTheCallersIsNone(String header) {
    final String passedOn;
    try (OtlpTracer given = tracer(1)) {
      final RequestTrace trace = given.begin(header);
      passedOn = trace.beginAttempt();
      trace.onEnd(request(200, null));
    }

    assertThat(passedOn).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-01").doesNotContain("0af7651916");
    assertThat(spans().getFirst().has("parentSpanId")).isFalse();
  }

  @Test
  void shouldDropWholeRequestsAndCountTheirSpansWhileTheCollectorStalls() {
    final CountDownLatch answered = new CountDownLatch(1);
    final OtlpTracer given =
        OtlpTracer.open(new Stalling(answered), Duration.ofSeconds(60), "headway-router", 1);
    final Attempt attempt = SampleAttempts.completed("r1", 0);
    final int more = 2_000; // than the queue and a batch hold

    for (int i = 0; i < OtlpTracer.QUEUE + more; i++) {
      final RequestTrace trace = given.begin(null);
      trace.beginAttempt();
      trace.onAttempt(attempt);
      trace.onEnd(request(200, null));
    }
    final long dropped = given.counts().dropped();
    answered.countDown();
    given.close();

    assertThat(dropped).isEven().isBetween(2L * more - 1_100, 2L * more);
    assertThat(given.counts())
        .isEqualTo(new ExportCounts(2L * (OtlpTracer.QUEUE + more) - dropped, 0, dropped));
  }

  /** Does not come back from the first batch until it is allowed to. */
  private record Stalling(CountDownLatch answered) implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      try {
        answered.await();
        return CompletableResultCode.ofSuccess();
      } catch (InterruptedException e) {
        return CompletableResultCode.ofFailure();
      }
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "endpoint=localhost | endpoint must be an http or https URL such as http://localhost:4318:"
            + " endpoint=localhost",
        "journeyRate=2 | otlp option journeyRate must be a number in [0, 1]: journeyRate=2",
        "level=debug | otlp options must be among [endpoint, file, journeyRate, serviceName,"
            + " timeoutSeconds]: unknown=[level]",
        "serviceName=mine | otlp option endpoint must be set: options={serviceName=mine}"
      })
  void shouldNameTheOptionThatIsWrong(String option, String message) {
    final String[] parts = option.split("=");

    assertThatThrownBy(() -> OtlpTracer.named(Map.of(parts[0], parts[1])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }
}
