package dev.headway.probes.otel.span;

import dev.headway.probes.otel.export.SpanSink;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Decides about a request that is over, and hands on its spans: all of them or none. */
final class TraceEmitter {

  private final Sampling sampling;
  private final RequestSpans spans;
  private final SpanSink sink;
  private final SpanTally tally;

  TraceEmitter(Sampling sampling, RequestSpans spans, SpanSink sink, SpanTally tally) {
    this.sampling = sampling;
    this.spans = spans;
    this.sink = sink;
    this.tally = tally;
  }

  void emit(@Nullable RequestTrace core, @Nullable ApiJourney journey) {
    final String sampledBy = sampledBy(core, journey);
    if (sampledBy == null) {
      tally.unsampledRequests.increment();
      return;
    }
    if (journey != null && journey.end() != null) {
      sink.accept(spans.api(journey, journey.end()));
      tally.apiSpans.increment();
    }
    if (core != null && core.end() != null) {
      sink.accept(spans.core(core, core.end(), sampledBy));
      tally.coreSpans.increment();
    }
  }

  private @Nullable String sampledBy(@Nullable RequestTrace core, @Nullable ApiJourney journey) {
    final String byCore = core == null ? null : core.sampledBy(sampling.tail());
    if (byCore != null) {
      return byCore;
    }
    if (core == null && journey != null && journey.isChosen()) {
      return "rate";
    }
    return journey != null && journey.isAborted() && sampling.tail().contains(TailRule.ERROR)
        ? TailRule.ERROR.name().toLowerCase(Locale.ROOT)
        : null;
  }
}
