package dev.headway.probes.otel.export;

import io.opentelemetry.api.common.AttributeType;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * An {@code ExportTraceServiceRequest} in the JSON of OTLP: ids in hex, 64-bit integers as strings,
 * enumerations as numbers.
 */
final class OtlpJson {

  private static final JsonFactory JSON = new JsonFactory();

  private OtlpJson() {}

  /** Writes one object without a line break; {@code out} stays open. */
  static void write(Collection<SpanData> spans, Writer out) {
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartObject();
      json.writeArrayPropertyStart("resourceSpans");
      byResource(spans).forEach((resource, scopes) -> resourceSpans(json, resource, scopes));
      json.writeEndArray();
      json.writeEndObject();
    }
  }

  private static Map<Resource, Map<InstrumentationScopeInfo, List<SpanData>>> byResource(
      Collection<SpanData> spans) {
    final Map<Resource, Map<InstrumentationScopeInfo, List<SpanData>>> grouped =
        new LinkedHashMap<>();
    for (SpanData span : spans) {
      grouped
          .computeIfAbsent(span.getResource(), resource -> new LinkedHashMap<>())
          .computeIfAbsent(span.getInstrumentationScopeInfo(), scope -> new ArrayList<>())
          .add(span);
    }
    return grouped;
  }

  private static void resourceSpans(
      JsonGenerator json, Resource resource, Map<InstrumentationScopeInfo, List<SpanData>> scopes) {
    json.writeStartObject();
    json.writeObjectPropertyStart("resource");
    attributes(json, resource.getAttributes());
    json.writeEndObject();
    json.writeArrayPropertyStart("scopeSpans");
    scopes.forEach(
        (scope, spans) -> {
          json.writeStartObject();
          json.writeObjectPropertyStart("scope");
          json.writeStringProperty("name", scope.getName());
          json.writeEndObject();
          json.writeArrayPropertyStart("spans");
          spans.forEach(span -> span(json, span));
          json.writeEndArray();
          json.writeEndObject();
        });
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void span(JsonGenerator json, SpanData span) {
    json.writeStartObject();
    json.writeStringProperty("traceId", span.getTraceId());
    json.writeStringProperty("spanId", span.getSpanId());
    final SpanContext parent = span.getParentSpanContext();
    if (parent.isValid()) {
      json.writeStringProperty("parentSpanId", parent.getSpanId());
    }
    json.writeStringProperty("name", span.getName());
    json.writeNumberProperty("kind", kind(span.getKind()));
    json.writeStringProperty("startTimeUnixNano", unsigned(span.getStartEpochNanos()));
    json.writeStringProperty("endTimeUnixNano", unsigned(span.getEndEpochNanos()));
    attributes(json, span.getAttributes());
    json.writeArrayPropertyStart("events");
    span.getEvents().forEach(event -> event(json, event));
    json.writeEndArray();
    final int dropped = span.getTotalRecordedEvents() - span.getEvents().size();
    if (dropped > 0) {
      json.writeNumberProperty("droppedEventsCount", dropped);
    }
    json.writeObjectPropertyStart("status");
    if (span.getStatus().getStatusCode() != StatusCode.UNSET) {
      json.writeStringProperty("message", span.getStatus().getDescription());
      json.writeNumberProperty("code", span.getStatus().getStatusCode() == StatusCode.OK ? 1 : 2);
    }
    json.writeEndObject();
    json.writeEndObject();
  }

  private static void event(JsonGenerator json, EventData event) {
    json.writeStartObject();
    json.writeStringProperty("timeUnixNano", unsigned(event.getEpochNanos()));
    json.writeStringProperty("name", event.getName());
    attributes(json, event.getAttributes());
    json.writeEndObject();
  }

  private static void attributes(JsonGenerator json, Attributes attributes) {
    json.writeArrayPropertyStart("attributes");
    attributes.forEach(
        (key, value) -> {
          json.writeStartObject();
          json.writeStringProperty("key", key.getKey());
          json.writeObjectPropertyStart("value");
          value(json, key.getType(), value);
          json.writeEndObject();
          json.writeEndObject();
        });
    json.writeEndArray();
  }

  private static void value(JsonGenerator json, AttributeType type, Object value) {
    switch (type) {
      case BOOLEAN -> json.writeBooleanProperty("boolValue", (Boolean) value);
      case LONG -> json.writeStringProperty("intValue", value.toString());
      case DOUBLE -> json.writeNumberProperty("doubleValue", (Double) value);
      case STRING_ARRAY -> strings(json, (List<?>) value);
      default -> json.writeStringProperty("stringValue", value.toString());
    }
  }

  private static void strings(JsonGenerator json, List<?> values) {
    json.writeObjectPropertyStart("arrayValue");
    json.writeArrayPropertyStart("values");
    for (Object each : values) {
      json.writeStartObject();
      json.writeStringProperty("stringValue", each.toString());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static int kind(SpanKind kind) {
    return switch (kind) {
      case INTERNAL -> 1;
      case SERVER -> 2;
      case CLIENT -> 3;
      case PRODUCER -> 4;
      case CONSUMER -> 5;
    };
  }

  private static String unsigned(long epochNs) {
    return Long.toUnsignedString(epochNs);
  }
}
