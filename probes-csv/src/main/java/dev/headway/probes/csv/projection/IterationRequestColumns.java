package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import dev.headway.probes.csv.projection.WaitReasons.Reason;
import dev.headway.probes.csv.table.ColumnType;
import dev.headway.probes.csv.table.Table;
import org.jspecify.annotations.Nullable;

/** The columns of {@code per_iteration_requests.csv}. */
final class IterationRequestColumns {

  private IterationRequestColumns() {}

  /**
   * A row of {@code per_iteration_requests.csv}.
   *
   * @param atNs instant up to which the time in the state counts
   * @param position in the queue, or -1 outside
   * @param root what must change before it can run
   * @param sharesReason whether the reason is that of all waiting requests without an individual
   *     one
   */
  record IterationRequestRow(
      RunTimeline runTimeline,
      RequestCells request,
      long stepId,
      long atNs,
      int position,
      @Nullable Reason reason,
      @Nullable Reason root,
      boolean sharesReason,
      @Nullable String blockerCell) {

    int run() {
      return runTimeline.index();
    }

    long iteration() {
      return IterationRow.iteration(stepId);
    }

    String state() {
      return request.state();
    }

    boolean isWaiting() {
      return position >= 0;
    }

    long queuePosition() {
      return isWaiting() ? position : ABSENT;
    }

    @Nullable String reasonCell() {
      return reason == null ? null : reason.cell();
    }

    @Nullable String rootCell() {
      return root == null ? null : root.cell();
    }

    long evictedBlocks() {
      return timeline().phase() == Phase.PREEMPTED ? timeline().evictedBlocks() : ABSENT;
    }

    long outputTokens() {
      return timeline().areOutputsKnown() ? timeline().outputTokens() : ABSENT;
    }

    long blocks() {
      return timeline().areEntriesKnown() ? timeline().heldBlocks() : ABSENT;
    }

    long timeInStateNs() {
      return atNs - timeline().stateSinceNs();
    }

    long scheduledTokens() {
      return isScheduled() ? timeline().latestScheduledTokens() : ABSENT;
    }

    long computedTokens() {
      return isScheduled() ? timeline().latestComputedTokens() : ABSENT;
    }

    private boolean isScheduled() {
      return timeline().phase().isRunning() && timeline().isScheduledIn(stepId);
    }

    private RequestTimeline timeline() {
      return request.timeline();
    }
  }

  static Table<IterationRequestRow> table() {
    final Table.Builder<IterationRequestRow> table =
        Table.named(
            "per_iteration_requests.csv",
            "One row per iteration and live request, as the iteration's decision left it, and one"
                + " more with the state completed in the iteration in which a request ended.",
            "By iteration as planned; running requests in the order of admission, then the queue;"
                + " a completed row is where the request's end became known.");
    addState(table);
    addWork(table);
    return table.build();
  }

  private static void addState(Table.Builder<IterationRequestRow> table) {
    table
        .integer(
            "iteration_id",
            "",
            "From 0: the engine's step number - 1.",
            IterationRequestRow::iteration)
        .encoded("request_id", ColumnType.TEXT, "The caller's name.", row -> row.request().idCell())
        .encoded(
            "state",
            ColumnType.LABEL,
            "waiting, running, preempted (waiting again) or completed.",
            IterationRequestRow::state)
        .integer(
            "queue_position",
            "",
            "Place in the waiting queue, from 0; absent outside.",
            IterationRequestRow::queuePosition)
        .encoded(
            "waiting_reason",
            ColumnType.LABEL,
            "Why it got no tokens, or not all it could have used; see the page on wait reasons.",
            IterationRequestRow::reasonCell)
        .integer(
            "tokens_generated",
            "tokens",
            "Outputs known when the iteration was planned; all of them in a completed row.",
            IterationRequestRow::outputTokens)
        .integer(
            "kv_cache_blocks",
            "blocks",
            "KV blocks held in the iteration.",
            IterationRequestRow::blocks)
        .integer(
            "time_in_state",
            "ns",
            "From its last change of state to the end of the iteration's scheduling; 0 in a"
                + " completed row.",
            IterationRequestRow::timeInStateNs);
  }

  private static void addWork(Table.Builder<IterationRequestRow> table) {
    table
        .run(IterationRequestRow::run)
        .integer(
            "request_number",
            "",
            "Order of arrival in its run, never reused.",
            row -> row.request().number())
        .encoded(
            "blocked_by",
            ColumnType.TEXT,
            "The request that blocks it.",
            IterationRequestRow::blockerCell)
        .integer(
            "scheduled_tokens",
            "tokens",
            "Tokens it computes in the iteration; absent if none.",
            IterationRequestRow::scheduledTokens)
        .integer(
            "computed_tokens",
            "tokens",
            "Tokens computed before those; absent if it computes none.",
            IterationRequestRow::computedTokens)
        .column(
            "shares_reason",
            ColumnType.BOOLEAN,
            "",
            "Whether waiting_reason is the one that all waiting requests without one of their own"
                + " have; absent outside the queue. With --iteration-requests changes no row follows when only"
                + " that reason changes: per_iteration.csv names it.",
            (row, cells) -> {
              if (row.isWaiting()) {
                cells.flag(row.sharesReason());
              } else {
                cells.absent();
              }
            })
        .encoded(
            "root_reason",
            ColumnType.LABEL,
            "waiting_reason, with head_of_line replaced by the reason of the request in blocked_by:"
                + " what must change before it can run.",
            IterationRequestRow::rootCell)
        .integer(
            "evicted_blocks",
            "blocks",
            "Blocks computed for it before its preemption that other requests have taken since;"
                + " absent unless it is preempted.",
            IterationRequestRow::evictedBlocks);
  }
}
