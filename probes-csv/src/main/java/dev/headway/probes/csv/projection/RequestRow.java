package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Cause;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RequestWaits;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.probes.csv.table.Cells;
import dev.headway.toolbox.text.JsonText;
import dev.headway.toolbox.text.Ratio;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code per_request.csv}: a request that ended, was rejected, or was alive when the
 * journal ended. What is not known is {@link dev.headway.api.Absent#ABSENT} or null.
 */
final class RequestRow {

  private static final long[] NO_WAITS = {};

  private final RunTimeline run;
  private final String idCell;
  private final @Nullable RequestTimeline timeline;
  private final @Nullable QueueHistory queue;
  private final @Nullable WaitReasons reasons;
  private final long[] waitedForNs;
  private final @Nullable RejectedRecord rejection;

  private RequestRow(
      RunTimeline run,
      String idCell,
      @Nullable RequestCells request,
      @Nullable WaitReasons reasons,
      long[] waitedForNs,
      @Nullable RejectedRecord rejection) {
    this.run = run;
    this.idCell = idCell;
    this.timeline = request == null ? null : request.timeline();
    this.queue = request == null ? null : request.queue();
    this.reasons = reasons;
    this.waitedForNs = waitedForNs;
    this.rejection = rejection;
  }

  /** A request that ended, or was alive when the journal did. */
  static RequestRow of(
      RunTimeline run, RequestCells request, WaitReasons reasons, List<Cause> causes) {
    final long[] byReasonNs = byReason(request.timeline().waits(), reasons, causes);
    return new RequestRow(run, request.idCell(), request, reasons, byReasonNs, null);
  }

  static RequestRow rejected(RunTimeline run, RejectedRecord rejection, String idCell) {
    return new RequestRow(run, idCell, null, null, NO_WAITS, rejection);
  }

  /** Time waited by the index of the reason; causes with one reason add up. */
  private static long[] byReason(RequestWaits waits, WaitReasons reasons, List<Cause> causes) {
    long[] byReasonNs = new long[WaitReasons.KNOWN.size()];
    for (int cause = 0; cause < waits.bound(); cause++) {
      if (waits.ns(cause) != 0) {
        final int index = reasons.of(causes.get(cause).reason()).index();
        if (index >= byReasonNs.length) {
          byReasonNs = Arrays.copyOf(byReasonNs, index + 1);
        }
        byReasonNs[index] += waits.ns(cause);
      }
    }
    return byReasonNs;
  }

  int run() {
    return run.index();
  }

  RunTimeline runTimeline() {
    return run;
  }

  @Nullable String ingressReason() {
    return timeline == null ? null : timeline.ingress().reason();
  }

  long ingressIteration() {
    return timeline == null ? ABSENT : IterationRow.iteration(timeline.ingress().stepId());
  }

  String idCell() {
    return idCell;
  }

  /** A figure that a request came with, accepted or not. */
  long asked(ToLongFunction<QueuedRecord> queued, ToLongFunction<RejectedRecord> rejected) {
    return rejection == null
        ? accepted(request -> queued.applyAsLong(request.queued()))
        : rejected.applyAsLong(rejection);
  }

  /** A figure of the record of its queueing. */
  long queued(ToLongFunction<QueuedRecord> figure) {
    return accepted(request -> figure.applyAsLong(request.queued()));
  }

  @Nullable String tenant() {
    if (rejection != null) {
      return rejection.tenant();
    }
    return timeline == null ? null : timeline.queued().tenant();
  }

  @Nullable String adapter() {
    return timeline == null ? null : timeline.queued().adapter();
  }

  long arrivalNs() {
    return asked(QueuedRecord::arrivalNs, RejectedRecord::atNs);
  }

  long promptTokens() {
    return asked(QueuedRecord::promptTokens, RejectedRecord::promptTokens);
  }

  long queuedNs() {
    return queued(QueuedRecord::queuedNs);
  }

  @Nullable RequestTimeline timeline() {
    return timeline;
  }

  String status() {
    if (timeline == null) {
      return "rejected";
    }
    return end() == null ? "unfinished" : "finished";
  }

  @Nullable String finishReason() {
    final FinishedRecord end = end();
    return end == null ? null : end.reason();
  }

  long stopTokenId() {
    final FinishedRecord end = end();
    return end == null ? ABSENT : end.stopTokenId();
  }

  @Nullable String rejectReason() {
    return rejection == null ? null : rejection.reason();
  }

  @Nullable String message() {
    if (rejection != null) {
      return rejection.message();
    }
    final FinishedRecord end = end();
    return end == null ? null : end.cause();
  }

  long completionNs() {
    return timeline == null ? ABSENT : timeline.endedNs();
  }

  /** A figure of a request that was accepted. */
  long accepted(ToLongFunction<RequestTimeline> figure) {
    return timeline == null ? ABSENT : figure.applyAsLong(timeline);
  }

  /** A figure that is settled only when the request has ended. */
  long settled(ToLongFunction<RequestTimeline> figure) {
    return timeline == null || timeline.end() == null ? ABSENT : figure.applyAsLong(timeline);
  }

  /** A figure that comes from the entries of steps. */
  long computed(ToLongFunction<RequestTimeline> figure) {
    return timeline != null && run.areEntriesKnown() && timeline.areEntriesKnown()
        ? figure.applyAsLong(timeline)
        : ABSENT;
  }

  /** A figure that comes from the outputs of steps. */
  private long produced(ToLongFunction<RequestTimeline> figure) {
    return timeline != null && timeline.areOutputsKnown() ? computed(figure) : ABSENT;
  }

  /** A figure about the queue; absent if it waited in no iteration. */
  long waited(ToLongFunction<QueueHistory> figure) {
    return queue == null || queue.count() == 0 ? ABSENT : figure.applyAsLong(queue);
  }

  long firstScheduledNs() {
    return accepted(RequestTimeline::firstScheduledNs);
  }

  long firstTokenNs() {
    return accepted(RequestTimeline::firstTokenNs);
  }

  long lastTokenNs() {
    return produced(RequestTimeline::lastTokenNs);
  }

  long outputTokens() {
    final long counted = produced(RequestTimeline::outputTokens);
    final FinishedRecord end = end();
    return counted == ABSENT && end != null
        ? end.outputTokens() // no entries to count, at level summary or behind a gap
        : counted;
  }

  long executionNs() {
    return settled(RequestTimeline::executionNs);
  }

  long endToEndNs() {
    return accepted(RequestTimeline::endToEndNs);
  }

  /** Whether the first token came in time; not known before it came or the request ended. */
  void putTargetMet(Cells cells) {
    final long ttftNs = accepted(RequestTimeline::ttftNs);
    final boolean isOpen = ttftNs == ABSENT && end() == null;
    final long targetNs = queued(QueuedRecord::ttftTargetNs);
    if (targetNs == ABSENT || isOpen) {
      cells.absent();
    } else {
      cells.flag(ttftNs != ABSENT && ttftNs <= targetNs);
    }
  }

  /** Rounded down; whole nanoseconds. */
  long timePerOutputTokenNs() {
    return produced(RequestTimeline::tpotNs);
  }

  /** Output tokens per second from arrival to completion. */
  @Nullable String throughput() {
    return rate(outputTokens(), endToEndNs());
  }

  /** Computed tokens per second in the engine. */
  @Nullable String serviceRate() {
    return rate(
        computed(RequestTimeline::scheduledTokens),
        IterationRow.difference(queuedNs(), completionNs()));
  }

  long prefillNs() {
    final RequestTimeline request = timeline;
    if (request == null || request.firstTokenNs() == ABSENT) {
      return executionNs();
    }
    return request.firstTokenNs() - queuedNs() - request.waitedBeforeFirstTokenNs();
  }

  long decodeNs() {
    return IterationRow.difference(firstTokenNs(), completionNs());
  }

  long decodeStallNs() {
    return firstTokenNs() == ABSENT
        ? ABSENT
        : settled(request -> request.waits().totalNs() - request.waitedBeforeFirstTokenNs());
  }

  long totalTokens() {
    final long output = outputTokens();
    return output == ABSENT ? ABSENT : promptTokens() + output;
  }

  long peakMemoryBytes() {
    final long bytesPerBlock = run.header().bytesPerBlock();
    final long blocks = computed(RequestTimeline::peakBlocks);
    return blocks == ABSENT || bytesPerBlock <= 0 ? ABSENT : blocks * bytesPerBlock;
  }

  long waitedForNs(int reasonIndex) {
    return settled(request -> waitedForNs[reasonIndex]);
  }

  /** Time waited for reasons without a column, as a JSON object; null if there is none. */
  @Nullable String waitedForOthers() {
    if (reasons == null || end() == null) {
      return null;
    }
    StringBuilder json = null;
    for (int i = WaitReasons.KNOWN.size(); i < waitedForNs.length; i++) {
      if (waitedForNs[i] != 0) {
        json = json == null ? new StringBuilder("{") : json.append(',');
        JsonText.appendString(json, reasons.label(i));
        json.append(':').append(waitedForNs[i]);
      }
    }
    return json == null ? null : json.append('}').toString();
  }

  /** The positions it had in the queue, as JSON; null if it had none. */
  @Nullable String queueHistory() {
    return queue == null ? null : queue.json();
  }

  private @Nullable FinishedRecord end() {
    return timeline == null ? null : timeline.end();
  }

  private static @Nullable String rate(long count, long durationNs) {
    return count == ABSENT || durationNs == ABSENT || durationNs <= 0
        ? null
        : Ratio.perSecond(count, durationNs);
  }
}
