package dev.headway.router.span;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.probes.otel.export.FinishedSpan;
import dev.headway.probes.otel.export.SpanSink;
import dev.headway.router.record.Attempt;
import dev.headway.router.record.RoutedRequest;
import dev.headway.routing.policy.RoutingOutcome;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the spans of a request that is over. Immutable, any thread. */
final class RoutingSpans {

  /** Paths that name spans and what they ask for; of others there may be any number. */
  private static final Map<String, String> OPERATIONS =
      Map.of(
          "/v1/chat/completions", "chat",
          "/v1/completions", "text_completion",
          "/generate", "text_completion",
          "/v1/embeddings", "embeddings");

  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH");

  private final Resource resource;

  RoutingSpans(String service) {
    resource = Resource.create(Attributes.of(RoutingSpanNames.SERVICE_NAME, service));
  }

  /** Gives the request's span to {@code to}, and one for each attempt behind it. */
  void of(Traced.Over over, SpanSink to) {
    to.accept(request(over));
    for (Traced.TracedAttempt each : over.attempts()) {
      to.accept(attempt(over, each));
    }
  }

  private SpanData request(Traced.Over over) {
    final RoutedRequest request = over.request();
    final String failure = request.failure();
    final boolean isGone = RoutedRequest.CLIENT_GONE.equals(failure);
    final boolean isCut = failure != null && !isGone && request.status() < 400;
    final boolean isError = !isGone && (request.status() >= 500 || isCut);
    final AttributesBuilder attributes =
        common(request)
            .put(RoutingSpanNames.URL_PATH, request.path())
            .put(RoutingSpanNames.URL_SCHEME, "http")
            .put(RoutingSpanNames.REQUEST_ID, request.id())
            .put(RoutingSpanNames.OUTCOME, failure == null ? "completed" : failure)
            .put(RoutingSpanNames.ATTEMPTS, (long) over.attempts().size());
    if (OPERATIONS.containsKey(request.path())) {
      attributes.put(RoutingSpanNames.ROUTE, request.path());
    }
    if (request.maxTokens() > 0) {
      attributes.put(RoutingSpanNames.MAX_TOKENS, (long) request.maxTokens());
    }
    if (!isGone) {
      attributes.put(RoutingSpanNames.STATUS, (long) request.status());
    }
    if (isError) {
      final String status = Integer.toString(request.status());
      attributes.put(RoutingSpanNames.ERROR_TYPE, failure == null ? status : failure);
    }
    return span(
        name(request),
        SpanKind.SERVER,
        over,
        over.context(),
        over.parent(),
        request.receivedNs(),
        request.endedNs(),
        attributes.build(),
        List.of(),
        isError ? error(failure) : StatusData.unset());
  }

  private SpanData attempt(Traced.Over over, Traced.TracedAttempt traced) {
    final RoutedRequest request = over.request();
    final Attempt attempt = traced.attempt();
    final boolean isSent = attempt.decision().chosen() >= 0;
    final AttributesBuilder attributes = common(request);
    DecisionAttributes.put(attempt.decision(), attributes);
    attributes.put(RoutingSpanNames.OUTCOME, attempt.outcome());
    if (isSent) {
      address(request, attempt, attributes);
    }
    final boolean isError = isError(attempt);
    if (isError) {
      attributes.put(
          RoutingSpanNames.ERROR_TYPE,
          attempt.status() >= 400 ? Integer.toString(attempt.status()) : attempt.outcome());
    }
    final long decidedNs = attempt.pickedNs() == ABSENT ? attempt.endedNs() : attempt.pickedNs();
    return span(
        isSent ? name(request) : RoutingSpanNames.NO_WORKER_SPAN,
        isSent ? SpanKind.CLIENT : SpanKind.INTERNAL,
        over,
        traced.context(),
        over.context(),
        Math.max(request.receivedNs(), decidedNs - attempt.decision().costNs()),
        attempt.endedNs(),
        attributes.build(),
        events(over, attempt),
        isError ? error(attempt.reason()) : StatusData.unset());
  }

  /** A client that goes away is no failure of the worker. */
  private static boolean isError(Attempt attempt) {
    return !attempt.outcome().equals(RoutingOutcome.CANCELLED.label())
        && (attempt.status() >= 400 || !attempt.outcome().equals(RoutingOutcome.COMPLETED.label()));
  }

  private static void address(
      RoutedRequest request, Attempt attempt, AttributesBuilder attributes) {
    final int place = attempt.decision().chosen();
    final URI url = URI.create(attempt.decision().workers().get(place).url());
    attributes
        .put(RoutingSpanNames.SERVER_ADDRESS, url.getHost())
        .put(RoutingSpanNames.SERVER_PORT, (long) (url.getPort() < 0 ? 80 : url.getPort()))
        .put(RoutingSpanNames.URL_FULL, url.resolve("/") + request.path().replaceFirst("^/", ""));
    if (attempt.status() > 0) {
      attributes
          .put(RoutingSpanNames.STATUS, (long) attempt.status())
          .put(RoutingSpanNames.BODY_SIZE, attempt.bytes());
    }
    if (attempt.decision().request().attempt() > 0) {
      attributes.put(RoutingSpanNames.RESEND_COUNT, (long) attempt.decision().request().attempt());
    }
  }

  private static AttributesBuilder common(RoutedRequest request) {
    final boolean isKnown = METHODS.contains(request.method());
    final AttributesBuilder attributes =
        Attributes.builder().put(RoutingSpanNames.METHOD, isKnown ? request.method() : "_OTHER");
    if (!isKnown) {
      attributes.put(RoutingSpanNames.METHOD_ORIGINAL, request.method());
    }
    final String operation = OPERATIONS.get(request.path());
    if (operation != null) {
      attributes.put(RoutingSpanNames.OPERATION, operation);
    }
    if (request.model() != null) {
      attributes.put(RoutingSpanNames.MODEL, request.model());
    }
    return attributes;
  }

  private static String name(RoutedRequest request) {
    final String method = METHODS.contains(request.method()) ? request.method() : "HTTP";
    return OPERATIONS.containsKey(request.path()) ? method + " " + request.path() : method;
  }

  private static List<EventData> events(Traced.Over over, Attempt attempt) {
    final List<EventData> events = new ArrayList<>(3);
    event(RoutingSpanNames.SENT, attempt.sentNs(), over, events);
    event(RoutingSpanNames.HEAD, attempt.headNs(), over, events);
    event(RoutingSpanNames.FIRST_BYTE, attempt.firstNs(), over, events);
    return events;
  }

  private static void event(String name, long atNs, Traced.Over over, List<EventData> to) {
    if (atNs != ABSENT) {
      to.add(EventData.create(atNs + over.epochOffsetNs(), name, Attributes.empty()));
    }
  }

  private static StatusData error(@Nullable String why) {
    return StatusData.create(StatusCode.ERROR, why == null ? "" : why);
  }

  private SpanData span(
      String name,
      SpanKind kind,
      Traced.Over over,
      SpanContext context,
      SpanContext parent,
      long startNs,
      long endNs,
      Attributes attributes,
      List<EventData> events,
      StatusData status) {
    return new FinishedSpan(
        name,
        kind,
        RoutingSpanNames.SCOPE,
        resource,
        context,
        parent,
        startNs + over.epochOffsetNs(),
        endNs + over.epochOffsetNs(),
        attributes,
        events,
        0,
        status);
  }
}
