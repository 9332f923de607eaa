package dev.headway.probes.otel.span;

import dev.headway.events.record.FinishedRecord;
import dev.headway.probes.otel.run.FinishWords;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import org.jspecify.annotations.Nullable;

/** Attributes of a {@link CoreEvent}. */
final class CoreAttributes {

  private static final double NS_PER_SECOND = 1e9;

  private CoreAttributes() {}

  static Attributes of(CoreEvent event, RequestTrace request, boolean knowsProgress) {
    final AttributesBuilder out =
        Attributes.builder()
            .put(SpanNames.EVENT_TYPE, event.type())
            .put(SpanNames.TS_MONOTONIC, event.atNs() / NS_PER_SECOND)
            .put(SpanNames.TS_MONOTONIC_NS, event.atNs())
            .put(SpanNames.SCHEDULER_STEP, event.stepId());
    final boolean isOutside = event.detail() instanceof CoreEvent.Rejected;
    if (!isOutside) {
      out.put(SpanNames.PHASE, phase(event));
    }
    if (knowsProgress && !isOutside) {
      out.put(SpanNames.PREFILL_DONE, (long) event.promptDone());
      out.put(SpanNames.DECODE_DONE, (long) event.outputTokens());
    }
    out.put(SpanNames.PREFILL_TOTAL, (long) request.promptTokens())
        .put(SpanNames.DECODE_MAX, (long) request.maxTokens())
        .put(SpanNames.NUM_PREEMPTIONS, (long) event.preemptions());
    if (event.detail() != null) {
      put(out, event.detail());
    }
    return out.build();
  }

  private static String phase(CoreEvent event) {
    if (event.type().equals(SpanNames.QUEUED)) {
      return "WAITING";
    }
    return event.outputTokens() > 0 ? "DECODE" : "PREFILL";
  }

  private static void put(AttributesBuilder out, CoreEvent.Detail detail) {
    switch (detail) {
      case CoreEvent.Scheduled scheduled ->
          out.put(
                  SpanNames.SCHEDULE_KIND,
                  scheduled.record().kind().equals("resumed") ? "RESUME" : "FIRST")
              .put(SpanNames.CACHED_TOKENS, (long) scheduled.record().cachedTokens())
              .put(SpanNames.HOST_CACHED_TOKENS, (long) scheduled.record().hostCachedTokens())
              .put(SpanNames.EVICTED_TOKENS, (long) scheduled.record().evictedTokens());
      case CoreEvent.Blocked blocked -> {
        out.put(SpanNames.BLOCKED_REASON, blocked.record().reason())
            .put(SpanNames.BLOCKED_NEEDED, (long) blocked.record().needed())
            .put(SpanNames.BLOCKED_FREE, (long) blocked.record().free());
        putText(out, SpanNames.BLOCKER_ID, blocked.blockerId());
      }
      case CoreEvent.Preempted preempted -> {
        out.put(SpanNames.PREEMPTION_CAUSE, preempted.record().cause())
            .put(SpanNames.LOST_TOKENS, (long) preempted.record().lostTokens())
            .put(SpanNames.FREED_BLOCKS, (long) preempted.record().freedBlocks());
        putText(out, SpanNames.BENEFICIARY_ID, preempted.beneficiaryId());
      }
      case CoreEvent.Chunk chunk ->
          out.put(SpanNames.CHUNK_INDEX, (long) chunk.index())
              .put(SpanNames.CHUNK_FROM, (long) chunk.fromToken())
              .put(SpanNames.CHUNK_TOKENS, (long) chunk.tokens());
      case CoreEvent.Finished finished -> putEnd(out, finished.record());
      case CoreEvent.Rejected rejected ->
          out.put(SpanNames.REJECT_REASON, rejected.record().reason())
              .put(SpanNames.REJECT_MESSAGE, rejected.record().message());
      case CoreEvent.Unfinished unfinished ->
          out.put(SpanNames.UNFINISHED_REASON, unfinished.reason());
    }
  }

  private static void putEnd(AttributesBuilder out, FinishedRecord end) {
    out.put(SpanNames.FINISH_STATUS, FinishWords.status(end.reason()))
        .put(SpanNames.FINISH_REASON, end.reason())
        .put(SpanNames.FREED_BLOCKS, (long) end.freedBlocks());
    putText(out, SpanNames.FINISH_CAUSE, end.cause());
    if (end.stopTokenId() >= 0) {
      out.put(SpanNames.STOP_TOKEN_ID, end.stopTokenId());
    }
  }

  private static void putText(
      AttributesBuilder out, AttributeKey<String> key, @Nullable String text) {
    if (text != null) {
      out.put(key, text);
    }
  }
}
