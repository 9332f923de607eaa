package dev.headway.probes.otel.span;

import java.util.concurrent.atomic.LongAdder;

/** Counts behind {@link SpanCounts}: written by the consumer's thread, read by any. */
final class SpanTally {

  final LongAdder coreSpans = new LongAdder();
  final LongAdder apiSpans = new LongAdder();
  final LongAdder stepSpans = new LongAdder();
  final LongAdder unsampledRequests = new LongAdder();
  final LongAdder droppedEvents = new LongAdder();
  final LongAdder unfinished = new LongAdder();
  final LongAdder unknownRequests = new LongAdder();
  final LongAdder missedRecords = new LongAdder();

  SpanCounts counts() {
    return new SpanCounts(
        coreSpans.sum(),
        apiSpans.sum(),
        stepSpans.sum(),
        unsampledRequests.sum(),
        droppedEvents.sum(),
        unfinished.sum(),
        unknownRequests.sum(),
        missedRecords.sum());
  }
}
