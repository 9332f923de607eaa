package dev.headway.probes.otel.export;

import io.opentelemetry.sdk.trace.data.SpanData;

/** Takes finished spans. One thread; never throws: what cannot be delivered is counted. */
public interface SpanSink extends AutoCloseable {

  /** Takes a span. */
  void accept(SpanData span);

  /** No span is expected soon: lets those go that wait for company. Does not wait for them. */
  default void flush() {}

  /** No span comes any more; called once. Waits for those under way, within the sink's limits. */
  @Override
  default void close() {}
}
