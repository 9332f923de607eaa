package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.text.JsonText;
import dev.headway.events.text.Ratio;
import dev.headway.probes.csv.table.Cells;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code per_request.csv}: a request that ended, was rejected, or was alive when the
 * journal ended. What is not known is {@link dev.headway.api.Absent#ABSENT} or null.
 */
final class RequestRow {

  private final Run run;
  private final WaitReasons reasons;
  private final RequestIdentity identity;
  private final @Nullable RequestTimeline timeline;
  private final @Nullable Ending ending;
  private final @Nullable String rejectReason;
  private final @Nullable String rejectMessage;

  private RequestRow(
      Run run,
      WaitReasons reasons,
      RequestIdentity identity,
      @Nullable RequestTimeline timeline,
      @Nullable Ending ending,
      @Nullable String rejectReason,
      @Nullable String rejectMessage) {
    this.run = run;
    this.reasons = reasons;
    this.identity = identity;
    this.timeline = timeline;
    this.ending = ending;
    this.rejectReason = rejectReason;
    this.rejectMessage = rejectMessage;
  }

  static RequestRow ended(Run run, WaitReasons reasons, Ending ending) {
    final RequestTimeline timeline = ending.request();
    return new RequestRow(run, reasons, timeline.identity(), timeline, ending, null, null);
  }

  static RequestRow unfinished(Run run, WaitReasons reasons, RequestTimeline timeline) {
    return new RequestRow(run, reasons, timeline.identity(), timeline, null, null, null);
  }

  static RequestRow rejected(
      Run run, WaitReasons reasons, RequestIdentity identity, String reason, String message) {
    return new RequestRow(run, reasons, identity, null, null, reason, message);
  }

  int run() {
    return run.index();
  }

  RequestIdentity identity() {
    return identity;
  }

  @Nullable RequestTimeline timeline() {
    return timeline;
  }

  String status() {
    if (timeline == null) {
      return "rejected";
    }
    return ending == null ? "unfinished" : "finished";
  }

  @Nullable String finishReason() {
    return ending == null ? null : ending.reason();
  }

  long stopTokenId() {
    return ending == null ? ABSENT : ending.stopTokenId();
  }

  @Nullable String rejectReason() {
    return rejectReason;
  }

  @Nullable String message() {
    return ending == null ? rejectMessage : ending.cause();
  }

  long completionNs() {
    return ending == null ? ABSENT : ending.nowNs();
  }

  /** A figure of a request that was accepted. */
  long accepted(ToLongFunction<RequestTimeline> figure) {
    return timeline == null ? ABSENT : figure.applyAsLong(timeline);
  }

  /** A figure that is settled only when the request has ended. */
  long settled(ToLongFunction<RequestTimeline> figure) {
    return timeline == null || ending == null ? ABSENT : figure.applyAsLong(timeline);
  }

  /** A figure that comes from the entries of steps. */
  long computed(ToLongFunction<Progress> figure) {
    return timeline == null || !run.figuresKnown()
        ? ABSENT
        : figure.applyAsLong(timeline.progress());
  }

  /** A figure about the queue; absent if it waited in no iteration. */
  long queued(ToLongFunction<QueueHistory> figure) {
    return timeline == null || timeline.queue().count() == 0
        ? ABSENT
        : figure.applyAsLong(timeline.queue());
  }

  long firstScheduledNs() {
    return accepted(RequestTimeline::firstScheduledNs);
  }

  long firstTokenNs() {
    return accepted(RequestTimeline::firstTokenNs);
  }

  long lastTokenNs() {
    return computed(Progress::lastTokenNs);
  }

  long outputTokens() {
    final long counted = computed(Progress::outputTokens);
    return counted == ABSENT && ending != null && ending.outputTokens() != ABSENT
        ? ending.outputTokens() // at level summary steps have no entries to count
        : counted;
  }

  long executionNs() {
    return settled(request -> request.executionNs(completionNs()));
  }

  long endToEndNs() {
    return StepFrame.difference(identity.arrivalNs(), completionNs());
  }

  /** Whether the first token came in time; not known before it came or the request ended. */
  void putTargetMet(Cells cells) {
    final long ttftNs = StepFrame.difference(identity.arrivalNs(), firstTokenNs());
    final boolean isOpen = ttftNs == ABSENT && ending == null;
    if (identity.ttftTargetNs() == ABSENT || isOpen) {
      cells.absent();
    } else {
      cells.flag(ttftNs != ABSENT && ttftNs <= identity.ttftTargetNs());
    }
  }

  /** Rounded down; whole nanoseconds. */
  long timePerOutputTokenNs() {
    final long spanNs = StepFrame.difference(firstTokenNs(), lastTokenNs());
    final long tokens = outputTokens();
    return spanNs == ABSENT || tokens <= 1 ? ABSENT : Math.floorDiv(spanNs, tokens - 1);
  }

  /** Output tokens per second from arrival to completion. */
  @Nullable String throughput() {
    return rate(outputTokens(), endToEndNs());
  }

  /** Computed tokens per second in the engine. */
  @Nullable String serviceRate() {
    return rate(
        computed(Progress::scheduledTokens),
        StepFrame.difference(identity.queuedNs(), completionNs()));
  }

  long prefillNs() {
    final RequestTimeline request = timeline;
    if (request == null || request.firstTokenNs() == ABSENT) {
      return executionNs();
    }
    return request.firstTokenNs() - identity.queuedNs() - request.waitedAtFirstTokenNs();
  }

  long decodeNs() {
    return StepFrame.difference(firstTokenNs(), completionNs());
  }

  long decodeStallNs() {
    return firstTokenNs() == ABSENT
        ? ABSENT
        : settled(request -> request.waits().totalNs() - request.waitedAtFirstTokenNs());
  }

  long totalTokens() {
    final long output = outputTokens();
    return output == ABSENT ? ABSENT : identity.promptTokens() + output;
  }

  long peakMemoryBytes() {
    final long bytesPerBlock = run.header().bytesPerBlock();
    final long blocks = computed(Progress::peakBlocks);
    return blocks == ABSENT || bytesPerBlock <= 0 ? ABSENT : blocks * bytesPerBlock;
  }

  long waitedForNs(int reasonIndex) {
    return settled(request -> request.waits().byReasonNs(reasonIndex));
  }

  /** Time waited for reasons without a column, as a JSON object; null if there is none. */
  @Nullable String waitedForOthers() {
    if (timeline == null || ending == null) {
      return null;
    }
    final WaitAccount waits = timeline.waits();
    StringBuilder json = null;
    for (int i = WaitReasons.KNOWN.size(); i < waits.reasonBound(); i++) {
      if (waits.byReasonNs(i) != 0) {
        json = json == null ? new StringBuilder("{") : json.append(',');
        JsonText.appendString(json, reasons.label(i));
        json.append(':').append(waits.byReasonNs(i));
      }
    }
    return json == null ? null : json.append('}').toString();
  }

  boolean isValid(RequestTimeline request) {
    return request.isValid(completionNs());
  }

  private static @Nullable String rate(long count, long durationNs) {
    return count == ABSENT || durationNs == ABSENT || durationNs <= 0
        ? null
        : Ratio.perSecond(count, durationNs);
  }
}
