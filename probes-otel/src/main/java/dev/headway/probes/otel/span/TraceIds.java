package dev.headway.probes.otel.span;

import dev.headway.api.internal.SplitMix64;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceId;
import io.opentelemetry.api.trace.TraceState;

/** Ids of a trace that we start and of our spans in it, derived from one number. */
record TraceIds(long seed) {

  /** The id of a trace of our own. */
  String traceId() {
    return TraceId.fromLongs(number(1), number(2));
  }

  /** Our first span: of the API, or of steps. */
  SpanContext outer(String traceId) {
    return context(traceId, number(3));
  }

  /** The core's span. */
  SpanContext core(String traceId) {
    return context(traceId, number(4));
  }

  private long number(int index) {
    final long mixed = SplitMix64.mix(seed + index * SplitMix64.GOLDEN_GAMMA);
    return mixed == 0 ? index : mixed; // 0 means none
  }

  private static SpanContext context(String traceId, long spanId) {
    return SpanContext.create(
        traceId, SpanId.fromLong(spanId), TraceFlags.getSampled(), TraceState.getDefault());
  }
}
