package dev.headway.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.probes.otel.fixture.OtlpReceiver;
import dev.headway.router.span.OtlpTracer;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Spans of requests over sockets, to a collector. */
class RouterSpansTest {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String CALLER = "00-" + TRACE + "-b7ad6b7169203331-";
  private static final String BODY = "{\"model\":\"fake\",\"prompt\":\"Once\",\"stream\":true}";

  private static HttpRequest request(RouterFixture given, String traceParent) {
    return given
        .request("/v1/completions?x=1")
        .header("traceparent", traceParent)
        .POST(HttpRequest.BodyPublishers.ofString(BODY))
        .build();
  }

  private static String hex(com.google.protobuf.ByteString id) {
    return HexFormat.of().formatHex(id.toByteArray());
  }

  @Test
  void shouldHangAttemptsBelowTheRequestAndWorkersBelowTheirAttempt() throws Exception {
    try (OtlpReceiver collector = OtlpReceiver.open();
        RouterFixture given = new RouterFixture(2)) {
      final OtlpTracer tracer = OtlpTracer.named(Map.of("endpoint", collector.endpoint()));
      given.tracer = tracer;
      given.workers.get(0).status = 503;
      given.workers.get(1).status = 503;
      given.attempts = 2;
      given.start();

      assertThat(given.send(request(given, CALLER + "01")).statusCode()).isEqualTo(503);
      given.awaitIdle();
      tracer.close();

      final List<Span> spans =
          collector.spans().stream().sorted(Comparator.comparing(Span::getKindValue)).toList();
      assertThat(spans).hasSize(3);
      assertThat(spans).extracting(span -> hex(span.getTraceId())).containsOnly(TRACE);
      final Span request = spans.getFirst();
      assertThat(request.getName()).isEqualTo("POST /v1/completions");
      assertThat(hex(request.getParentSpanId())).isEqualTo("b7ad6b7169203331");
      for (Span attempt : spans.subList(1, 3)) {
        assertThat(attempt.getParentSpanId()).isEqualTo(request.getSpanId());
        assertThat(attempt.getStartTimeUnixNano())
            .isBetween(request.getStartTimeUnixNano(), attempt.getEndTimeUnixNano());
        assertThat(attempt.getEndTimeUnixNano()).isLessThanOrEqualTo(request.getEndTimeUnixNano());
      }
      assertThat(given.workers)
          .extracting(worker -> worker.heads.element())
          .allSatisfy(head -> assertThat(head).containsOnlyOnce("traceparent="))
          .satisfiesExactlyInAnyOrder(
              head -> assertThat(head).contains(TRACE + "-" + hex(spans.get(1).getSpanId())),
              head -> assertThat(head).contains(TRACE + "-" + hex(spans.get(2).getSpanId())));
      final String metrics = given.send(given.request("/metrics").build()).body();
      assertThat(metrics)
          .contains("headway_router_spans_total{result=\"exported\"} 3.0")
          .contains("headway_router_spans_total{result=\"dropped\"} 0.0");
    }
  }

  @Test
  void shouldPassATraceThatIsNotSampledOnAsItIs() throws Exception {
    try (OtlpReceiver collector = OtlpReceiver.open();
        RouterFixture given = new RouterFixture(1)) {
      final OtlpTracer tracer = OtlpTracer.named(Map.of("endpoint", collector.endpoint()));
      given.tracer = tracer;
      given.start();

      assertThat(given.send(request(given, CALLER + "00")).statusCode()).isEqualTo(200);
      given.awaitIdle();
      tracer.close();

      assertThat(given.workers.getFirst().heads.element()).contains("traceparent=" + CALLER + "00");
      assertThat(collector.spans()).isEmpty();
    }
  }

  @Test
  void shouldSayThatTheClientWentAway() throws Exception {
    try (OtlpReceiver collector = OtlpReceiver.open();
        RouterFixture given = new RouterFixture(1)) {
      final OtlpTracer tracer = OtlpTracer.named(Map.of("endpoint", collector.endpoint()));
      given.tracer = tracer;
      given.start();
      given.workers.getFirst().stalls = true;
      try (Socket client = new Socket("127.0.0.1", given.port())) {
        final String head = "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: ";
        final String text = head + BODY.length() + "\r\n\r\n" + BODY;
        client.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        RouterFixture.eventually("begun", () -> given.workers.getFirst().begun.get() == 1);
      }
      given.awaitIdle();
      tracer.close();

      assertThat(collector.spans())
          .hasSize(2)
          .allSatisfy(
              span ->
                  assertThat(span.getStatus().getCode()).isEqualTo(StatusCode.STATUS_CODE_UNSET))
          .extracting(RouterSpansTest::outcome)
          .containsExactlyInAnyOrder("client_gone", "cancelled");
    }
  }

  private static String outcome(Span span) {
    return span.getAttributesList().stream()
        .filter(each -> each.getKey().equals("headway.routing.outcome"))
        .map(each -> each.getValue().getStringValue())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldCountNoSpansWhereNoneAreMade() throws Exception {
    try (RouterFixture given = new RouterFixture(1).start()) {
      assertThat(given.send(given.request("/metrics").build()).body())
          .contains("headway_router_requests_in_flight")
          .doesNotContain("headway_router_spans");
    }
  }
}
