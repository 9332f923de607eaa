package dev.headway.probes.otel.span;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.QueuedRecord;
import dev.headway.probes.otel.export.FinishedSpan;
import dev.headway.probes.otel.run.FinishWords;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Makes spans of a request that has ended, in the engine and, if it reports, in the server. */
final class RequestSpans {

  private static final double NS_PER_SECOND = 1e9;

  private final RunContext run;

  RequestSpans(RunContext run) {
    this.run = run;
  }

  /** The span of the server; its parent is the caller. */
  SpanData api(ApiJourney journey, ApiJourney.Stage end) {
    final RequestTrace core = journey.core();
    final SpanContext parent = callerOf(core);
    final List<EventData> events = new ArrayList<>();
    long latestNs = journey.arrivedNs();
    for (ApiJourney.Stage stage : journey.stages()) {
      events.add(apiEvent(stage));
      latestNs = Math.max(latestNs, stage.atNs());
    }
    events.add(apiEvent(end));
    return new FinishedSpan(
        SpanNames.API_SPAN,
        SpanKind.SERVER,
        SpanNames.API_SCOPE,
        run.resource(),
        journey.ids().outer(traceId(journey.ids(), parent)),
        parent,
        run.epochNs(journey.stages().get(0).atNs()),
        run.epochNs(Math.max(latestNs, end.atNs())),
        apiAttributes(journey, core),
        events,
        0,
        apiStatus(journey, end));
  }

  /** The span of the engine; its parent is the server's span, else the caller. */
  SpanData core(RequestTrace request, CoreEvent end, String sampledBy) {
    final ApiJourney journey = request.journey();
    final SpanContext caller = callerOf(request);
    final TraceIds ids = journey == null ? request.ids() : journey.ids();
    final String traceId = traceId(ids, caller);
    final List<EventData> events = new ArrayList<>();
    for (CoreEvent event : request.events()) {
      events.add(coreEvent(event, request));
    }
    events.add(coreEvent(end, request));
    return new FinishedSpan(
        SpanNames.CORE_SPAN,
        SpanKind.INTERNAL,
        SpanNames.CORE_SCOPE,
        run.resource(),
        request.ids().core(traceId),
        journey == null ? caller : ids.outer(traceId),
        run.epochNs(request.request().queuedNs()),
        run.epochNs(end.atNs()),
        coreAttributes(request, sampledBy),
        events,
        request.droppedEvents(),
        coreStatus(end));
  }

  private static SpanContext callerOf(@Nullable RequestTrace core) {
    final TraceParent caller = core == null ? null : core.caller();
    return caller == null ? SpanContext.getInvalid() : caller.context();
  }

  private static String traceId(TraceIds ids, SpanContext caller) {
    return caller.isValid() ? caller.getTraceId() : ids.traceId();
  }

  private EventData apiEvent(ApiJourney.Stage stage) {
    final AttributesBuilder attributes =
        Attributes.builder().put(SpanNames.API_TS_MONOTONIC, stage.atNs() / NS_PER_SECOND);
    if (stage.reason() != null) {
      attributes.put(SpanNames.API_REASON, stage.reason());
    }
    if (stage.error() != null) {
      attributes.put(SpanNames.API_ERROR, stage.error());
    }
    return EventData.create(
        run.epochNs(stage.atNs()),
        SpanNames.API_EVENT_PREFIX + stage.label().toUpperCase(Locale.ROOT),
        attributes.build());
  }

  private EventData coreEvent(CoreEvent event, RequestTrace request) {
    return EventData.create(
        run.epochNs(event.atNs()),
        SpanNames.CORE_EVENT_PREFIX + event.type(),
        CoreAttributes.of(event, request, run.knowsProgress()));
  }

  private Attributes apiAttributes(ApiJourney journey, @Nullable RequestTrace core) {
    final AttributesBuilder out =
        Attributes.builder().put(SpanNames.REQUEST_ID, journey.requestId());
    if (run.model() != null) {
      out.put(SpanNames.RESPONSE_MODEL, run.model());
    }
    if (core != null) {
      out.put(SpanNames.MAX_TOKENS, (long) core.maxTokens())
          .put(SpanNames.PROMPT_TOKENS, (long) core.promptTokens());
      final CoreEvent end = core.end();
      if (end != null && end.detail() instanceof CoreEvent.Finished) {
        out.put(SpanNames.COMPLETION_TOKENS, (long) end.outputTokens());
      }
    }
    return out.build();
  }

  private static Attributes coreAttributes(RequestTrace trace, String sampledBy) {
    final QueuedRecord request = trace.request();
    final AttributesBuilder out =
        Attributes.builder()
            .put(SpanNames.REQUEST_ID, request.requestId())
            .put(SpanNames.PRIORITY, (long) request.priority())
            .put(SpanNames.INGRESS_NS, request.queuedNs() - request.arrivalNs())
            .put(SpanNames.SAMPLED_BY, sampledBy);
    if (request.tenant() != null) {
      out.put(SpanNames.TENANT, request.tenant());
    }
    if (request.adapter() != null) {
      out.put(SpanNames.ADAPTER, request.adapter());
    }
    if (request.ttftTargetNs() != ABSENT) {
      out.put(SpanNames.TTFT_TARGET_NS, request.ttftTargetNs())
          .put(SpanNames.TTFT_TARGET_MISSED, trace.missedTarget());
    }
    return out.build();
  }

  private static StatusData apiStatus(ApiJourney journey, ApiJourney.Stage end) {
    if (!journey.isAborted()) {
      return StatusData.unset();
    }
    final String message = end.error() != null ? end.error() : end.reason();
    return StatusData.create(StatusCode.ERROR, message == null ? "" : message);
  }

  private static StatusData coreStatus(CoreEvent end) {
    return switch (end.detail()) {
      case CoreEvent.Rejected rejected ->
          StatusData.create(StatusCode.ERROR, rejected.record().message());
      case CoreEvent.Finished finished when FinishWords.isError(finished.record().reason()) ->
          StatusData.create(
              StatusCode.ERROR,
              finished.record().cause() == null
                  ? finished.record().reason()
                  : finished.record().cause());
      case null, default -> StatusData.unset();
    };
  }
}
