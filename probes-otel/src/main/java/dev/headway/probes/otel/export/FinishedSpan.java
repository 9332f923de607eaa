package dev.headway.probes.otel.export;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.util.List;

/**
 * A span that has ended. Immutable, any thread. It is made of records and not by an SDK tracer,
 * whose limit of 128 events would cut it.
 *
 * @param name of the span
 * @param kind which side of a call it is
 * @param scope name of the instrumentation scope
 * @param resource what the span belongs to
 * @param context its trace, its id and its flags
 * @param parent {@link SpanContext#getInvalid} for the first span of a trace
 * @param startEpochNs beginning, in ns since the epoch
 * @param endEpochNs end, in ns since the epoch
 * @param attributes what is known of it
 * @param events what happened in it, in their order; copied
 * @param droppedEvents events that it had no room for, >= 0
 * @param status whether it failed
 */
public record FinishedSpan(
    String name,
    SpanKind kind,
    String scope,
    Resource resource,
    SpanContext context,
    SpanContext parent,
    long startEpochNs,
    long endEpochNs,
    Attributes attributes,
    List<EventData> events,
    int droppedEvents,
    StatusData status)
    implements SpanData {

  /** Copies the events. */
  public FinishedSpan {
    events = List.copyOf(events);
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public SpanKind getKind() {
    return kind;
  }

  @Override
  public SpanContext getSpanContext() {
    return context;
  }

  @Override
  public SpanContext getParentSpanContext() {
    return parent;
  }

  @Override
  public StatusData getStatus() {
    return status;
  }

  @Override
  public long getStartEpochNanos() {
    return startEpochNs;
  }

  @Override
  public Attributes getAttributes() {
    return attributes;
  }

  @Override
  public List<EventData> getEvents() {
    return events;
  }

  @Override
  public List<LinkData> getLinks() {
    return List.of();
  }

  @Override
  public long getEndEpochNanos() {
    return endEpochNs;
  }

  @Override
  public boolean hasEnded() {
    return true;
  }

  @Override
  public int getTotalRecordedEvents() {
    return events.size() + droppedEvents;
  }

  @Override
  public int getTotalRecordedLinks() {
    return 0;
  }

  @Override
  public int getTotalAttributeCount() {
    return attributes.size();
  }

  @Override
  public InstrumentationScopeInfo getInstrumentationScopeInfo() {
    return InstrumentationScopeInfo.create(scope);
  }

  @Deprecated
  @Override
  public io.opentelemetry.sdk.common.InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
    return io.opentelemetry.sdk.common.InstrumentationLibraryInfo.create(scope, null);
  }

  @Override
  public Resource getResource() {
    return resource;
  }
}
