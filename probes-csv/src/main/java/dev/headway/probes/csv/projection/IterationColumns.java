package dev.headway.probes.csv.projection;

import dev.headway.events.text.JsonText;
import dev.headway.probes.csv.table.ColumnType;
import dev.headway.probes.csv.table.Table;

/** The columns of {@code per_iteration.csv}. */
final class IterationColumns {

  private static final String START = "start_time";
  private static final String END = "end_time";
  private static final String PLANNED = "scheduled_time";
  private static final String SUBMIT = "submit_time";
  private static final String OUTPUT = "output_time";

  private IterationColumns() {}

  static Table<StepFrame> table() {
    final Table.Builder<StepFrame> table =
        Table.named(
            "per_iteration.csv",
            "One row per iteration of the scheduler, empty ones included.",
            "In the order of the iterations.");
    addTimes(table);
    addCounts(table);
    addSplit(table);
    addLists(table);
    return table.build();
  }

  private static void addTimes(Table.Builder<StepFrame> table) {
    table
        .integer("iteration_id", "", "From 0: the engine's step number - 1.", StepFrame::iteration)
        .instant(START, "Instant at which scheduling began.", frame -> frame.beginNs)
        .instant(
            END,
            "Instant at which the output was taken over; absent if the journal ends before.",
            frame -> frame.endNs)
        .duration(
            "duration",
            START,
            END,
            "The whole iteration.",
            frame -> StepFrame.difference(frame.beginNs, frame.endNs))
        .duration(
            "scheduling_overhead",
            START,
            PLANNED,
            "The scheduler's decision.",
            frame -> frame.plannedNs - frame.beginNs)
        .duration(
            "forward_duration",
            SUBMIT,
            OUTPUT,
            "The forward pass as the executor timed it, or from hand-over to output if it did not;"
                + " absent if nothing was executed.",
            StepFrame::forwardDurationNs);
  }

  private static void addCounts(Table.Builder<StepFrame> table) {
    table
        .integer("batch_size", "requests", "Requests that compute.", frame -> frame.batchSize)
        .integer("total_tokens", "tokens", "Tokens computed.", frame -> frame.totalTokens)
        .integer(
            "prefill_tokens",
            "tokens",
            "Those of requests that are not decoding.",
            frame -> frame.prefillTokens)
        .integer(
            "decode_tokens",
            "tokens",
            "Those of requests that are.",
            frame -> frame.totalTokens - frame.prefillTokens)
        .integer(
            "kv_cache_used",
            "blocks",
            "KV blocks not free after the decision.",
            frame -> frame.usedBlocks)
        .integer(
            "kv_cache_total",
            "blocks",
            "KV blocks that requests can hold, the null block not counted.",
            frame -> frame.usableBlocks)
        .integer(
            "running_count", "requests", "Running after the decision.", frame -> frame.runningCount)
        .integer(
            "waiting_count",
            "requests",
            "Waiting after the decision, preempted ones included.",
            frame -> frame.waitingCount)
        .integer(
            "preempted_count",
            "requests",
            "Waiting after the decision because they were preempted.",
            frame -> frame.preemptedWaitingCount)
        .label("scheduler_action", "The first of actions.", frame -> frame.changes.mainAction());
  }

  private static void addSplit(Table.Builder<StepFrame> table) {
    table
        .integer("run", "", "Which run of the journal, from 0.", frame -> frame.run)
        .label(
            "actions",
            "All that apply, separated by semicolons: preempt if a request was put back, admit_new"
                + " if one was admitted, swap_in if blocks were loaded from host memory, swap_out if"
                + " blocks were saved there, evict if cached blocks were lost on the device, else"
                + " continue.",
            frame -> frame.changes.actions())
        .instant(PLANNED, "Instant at which scheduling ended.", frame -> frame.plannedNs)
        .instant(SUBMIT, "Instant of the hand-over to the executor.", frame -> frame.submitNs)
        .instant(OUTPUT, "Instant at which the output was available.", frame -> frame.outputNs)
        .integer("prepare_ns", "ns", "To build and upload the batch.", frame -> frame.prepareNs)
        .integer("sample_ns", "ns", "To sample.", frame -> frame.sampleNs)
        .duration(
            "update_ns",
            OUTPUT,
            END,
            "To take over the output.",
            frame -> StepFrame.difference(frame.outputNs, frame.endNs))
        .integer(
            "gap_ns",
            "ns",
            "From the end of the iteration before to this one's start; absent if they overlap.",
            frame -> frame.gapNs)
        .integer(
            "prefill_requests",
            "requests",
            "Requests of the batch that are not decoding.",
            frame -> frame.prefillRequests)
        .integer("tokens_produced", "tokens", "Tokens generated.", frame -> frame.producedTokens)
        .column(
            "kv_cache_utilization",
            ColumnType.DECIMAL,
            "",
            "kv_cache_used / kv_cache_total.",
            (frame, cells) -> cells.ratio(frame.usedBlocks, frame.usableBlocks))
        .integer(
            "kv_blocks_evicted",
            "blocks",
            "Cached blocks that can no longer be found, since the iteration before.",
            frame -> frame.changes.removedBlocks())
        .integer(
            "gpu_memory_used",
            "bytes",
            "Device memory in use.",
            frame -> frame.deviceMemoryUsedBytes)
        .integer(
            "gpu_utilization_permille",
            "1/1000",
            "Device utilisation.",
            frame -> frame.deviceUtilizationPermille);
  }

  private static void addLists(Table.Builder<StepFrame> table) {
    table
        .label(
            "waiting_reason",
            "The reason of all waiting requests without one of their own; absent if none waits.",
            frame -> frame.sharedReason)
        .encoded(
            "blocked_by",
            ColumnType.TEXT,
            "The request named as blocker by that reason.",
            frame -> frame.blockerCell)
        .json(
            "admitted_ids",
            "Requests admitted, resumed ones included.",
            frame -> JsonText.list(frame.changes.admitted()))
        .json(
            "preempted_ids",
            "Requests put back since the iteration before.",
            frame -> JsonText.list(frame.changes.preempted()))
        .json(
            "completed_ids",
            "Requests that ended in this iteration.",
            frame -> JsonText.list(frame.completed))
        .json(
            "running_ids",
            "Requests running after the decision; only with --ids full.",
            frame -> frame.runningIds)
        .json(
            "waiting_ids",
            "Requests waiting after the decision in the order of the queue; only with --ids full.",
            frame -> frame.waitingIds)
        .text("failure", "Why the iteration failed.", frame -> frame.failure)
        .integer("drafts", "requests", "Requests that had draft tokens.", frame -> frame.drafts)
        .integer("draft_tokens", "tokens", "Draft tokens verified.", frame -> frame.draftTokens)
        .integer(
            "accepted_tokens",
            "tokens",
            "Those of them that were right.",
            frame -> frame.acceptedTokens);
  }
}
