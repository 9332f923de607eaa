package dev.headway.router.span;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.trace.IdGenerator;

/** Makes ids of traces and spans. Any thread. */
final class SpanIds {

  private final IdGenerator random = IdGenerator.random();

  /** The first span of a new trace. */
  SpanContext first(TraceFlags flags) {
    return SpanContext.create(
        random.generateTraceId(), random.generateSpanId(), flags, TraceState.getDefault());
  }

  /** Another span of a trace, with the flags of the one above it. */
  SpanContext below(SpanContext above) {
    return SpanContext.create(
        above.getTraceId(),
        random.generateSpanId(),
        above.getTraceFlags(),
        TraceState.getDefault());
  }

  /** The {@code traceparent} of a span. */
  static String header(SpanContext span) {
    return "00-" + span.getTraceId() + "-" + span.getSpanId() + "-" + span.getTraceFlags().asHex();
  }
}
