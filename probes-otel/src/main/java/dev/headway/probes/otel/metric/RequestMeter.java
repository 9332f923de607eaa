package dev.headway.probes.otel.metric;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.probes.otel.run.Progress;
import org.jspecify.annotations.Nullable;

/** What metrics need to know of a live request. */
final class RequestMeter {

  final QueuedRecord request;
  final Progress progress;
  final WaitMeter.Waiter waiter = new WaitMeter.Waiter();

  boolean running;
  long waitingSinceNs;
  int preemptions;
  int cachedTokens;
  int hostCachedTokens;
  long firstScheduledNs = ABSENT;
  long firstTokenNs = ABSENT;
  @Nullable FinishedRecord end;

  RequestMeter(QueuedRecord request) {
    this.request = request;
    this.waitingSinceNs = request.queuedNs();
    this.progress = new Progress(request.promptTokens());
  }

  /** Tokens generated; as its end record says, or as the steps do. */
  int outputTokens() {
    return end != null && end.outputTokens() >= 0
        ? (int) end.outputTokens()
        : progress.outputTokens();
  }
}
