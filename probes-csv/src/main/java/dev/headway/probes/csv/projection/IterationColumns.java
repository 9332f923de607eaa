package dev.headway.probes.csv.projection;

import dev.headway.probes.csv.table.ColumnType;
import dev.headway.probes.csv.table.Table;
import dev.headway.toolbox.text.JsonText;

/** The columns of {@code per_iteration.csv}. */
final class IterationColumns {

  private static final String START = "start_time";
  private static final String END = "end_time";
  private static final String PLANNED = "scheduled_time";
  private static final String SUBMIT = "submit_time";
  private static final String OUTPUT = "output_time";

  private IterationColumns() {}

  static Table<IterationRow> table() {
    final Table.Builder<IterationRow> table =
        Table.named(
            "per_iteration.csv",
            "One row per iteration of the scheduler, empty ones included.",
            "In the order of the iterations.");
    addTimes(table);
    addCounts(table);
    addSplit(table);
    addLists(table);
    addOutcome(table);
    return table.calendar(row -> IterationRow.calendarBeginNs(row.step().run())).build();
  }

  private static void addTimes(Table.Builder<IterationRow> table) {
    table
        .integer(
            "iteration_id", "", "From 0: the engine's step number - 1.", IterationRow::iteration)
        .instant(START, "Instant at which scheduling began.", row -> row.plan().beginNs())
        .instant(
            END,
            "Instant at which the output was taken over; absent if the journal ends before.",
            row -> row.step().endNs())
        .duration("duration", START, END, "The whole iteration.", row -> row.step().durationNs())
        .duration(
            "scheduling_overhead",
            START,
            PLANNED,
            "The scheduler's decision.",
            row -> row.plan().scheduleNs())
        .duration(
            "forward_duration",
            SUBMIT,
            OUTPUT,
            "The forward pass as the executor timed it, or from hand-over to output if it did not;"
                + " absent if nothing was executed.",
            row -> row.step().forwardNs());
  }

  private static void addCounts(Table.Builder<IterationRow> table) {
    table
        .integer("batch_size", "requests", "Requests that compute.", row -> row.plan().batchSize())
        .integer("total_tokens", "tokens", "Tokens computed.", row -> row.plan().totalTokens())
        .integer(
            "prefill_tokens",
            "tokens",
            "Those of requests that are not decoding.",
            row -> row.plan().prefillTokens())
        .integer(
            "decode_tokens",
            "tokens",
            "Those of requests that are.",
            row -> row.plan().decodeTokens())
        .integer(
            "kv_cache_used",
            "blocks",
            "KV blocks not free after the decision.",
            row -> row.usedBlocks())
        .integer(
            "kv_cache_total",
            "blocks",
            "KV blocks that requests can hold, the null block not counted.",
            row -> row.usableBlocks());
    addQueues(table);
  }

  private static void addQueues(Table.Builder<IterationRow> table) {
    table
        .integer(
            "running_count",
            "requests",
            "Running after the decision.",
            row -> row.plan().runningCount())
        .integer(
            "waiting_count",
            "requests",
            "Waiting after the decision, preempted ones included.",
            row -> row.plan().waitingCount())
        .integer(
            "preempted_count",
            "requests",
            "Waiting after the decision because they were preempted.",
            row -> row.plan().preemptedWaitingCount())
        .label(
            "scheduler_action",
            "Its main decision: the first that applies of preempt, evict, admit_new, swap_in and"
                + " swap_out; else continue.",
            row -> row.mainAction());
  }

  private static void addSplit(Table.Builder<IterationRow> table) {
    table
        .run(row -> row.step().run().index())
        .label(
            "actions",
            "All that apply, separated by semicolons: preempt if a request was preempted, evict if a"
                + " preempted request lost computed blocks, admit_new if a request was admitted,"
                + " swap_in if blocks were loaded from host memory, swap_out if blocks were saved"
                + " there, reuse_cached_blocks if cached blocks of no request were taken, else"
                + " continue.",
            row -> row.actions())
        .instant(PLANNED, "Instant at which scheduling ended.", row -> row.plan().endNs())
        .instant(SUBMIT, "Instant of the hand-over to the executor.", row -> row.step().submitNs())
        .instant(OUTPUT, "Instant at which the output was available.", row -> row.step().outputNs())
        .integer(
            "prepare_ns", "ns", "To build and upload the batch.", row -> row.step().prepareNs())
        .integer("sample_ns", "ns", "To sample.", row -> row.step().sampleNs())
        .duration(
            "update_ns", OUTPUT, END, "To take over the output.", row -> row.step().updateNs())
        .integer(
            "gap_ns",
            "ns",
            "From the end of the iteration before to this one's start; absent if they overlap.",
            row -> row.step().gapNs())
        .integer(
            "prefill_requests",
            "requests",
            "Requests of the batch that are not decoding.",
            row -> row.plan().prefillRequests())
        .integer(
            "tokens_produced",
            "tokens",
            "Tokens generated.",
            row -> row.done(row.step().producedTokens()))
        .column(
            "kv_cache_utilization",
            ColumnType.DECIMAL,
            "",
            "kv_cache_used / kv_cache_total.",
            (row, cells) -> cells.ratio(row.usedBlocks(), row.usableBlocks()))
        .integer(
            "kv_blocks_evicted",
            "blocks",
            "Cached blocks that can no longer be found, since the iteration before.",
            row -> row.step().changes().removedBlocks())
        .integer(
            "gpu_memory_used",
            "bytes",
            "Device memory in use.",
            row -> row.step().deviceMemoryUsedBytes())
        .integer(
            "gpu_utilization_permille",
            "1/1000",
            "Device utilisation.",
            row -> row.step().deviceUtilizationPermille());
  }

  private static void addLists(Table.Builder<IterationRow> table) {
    table
        .label(
            "waiting_reason",
            "The reason of all waiting requests without one of their own; absent if none waits.",
            row -> row.sharedReason())
        .text(
            "blocked_by",
            "The request named as blocker by that reason.",
            row -> row.step().headBlocker())
        .json(
            "admitted_ids",
            "Requests admitted, resumed ones included.",
            row -> JsonText.list(row.admitted()))
        .json(
            "preempted_ids",
            "Requests preempted since the iteration before.",
            row -> JsonText.list(row.preempted()))
        .json(
            "completed_ids",
            "Requests that ended in this iteration.",
            row -> JsonText.list(row.completed()))
        .json(
            "running_ids",
            "Requests running after the decision; only with --ids full.",
            row -> row.runningIds())
        .json(
            "waiting_ids",
            "Requests waiting after the decision in the order of the queue; only with --ids full.",
            row -> row.waitingIds());
  }

  private static void addOutcome(Table.Builder<IterationRow> table) {
    table
        .text("failure", "Why the iteration failed.", row -> row.step().failure())
        .integer(
            "drafts",
            "requests",
            "Requests that had draft tokens.",
            row -> row.done(row.step().drafts()))
        .integer(
            "draft_tokens",
            "tokens",
            "Draft tokens verified.",
            row -> row.done(row.step().draftTokens()))
        .integer(
            "accepted_tokens",
            "tokens",
            "Those of them that were right.",
            row -> row.done(row.step().acceptedTokens()))
        .label(
            "root_reason",
            "waiting_reason, with head_of_line replaced by the reason of the request in blocked_by.",
            row -> row.sharedRoot())
        .integer(
            "scheduling_host_ns",
            "ns",
            "The scheduler's decision on the machine's clock: scheduling_overhead in real time; in"
                + " virtual time, in which none passes meanwhile, what was measured beside it;"
                + " absent if nothing was.",
            row -> row.step().knownScheduleNs())
        .column(
            "first_of_kind",
            ColumnType.BOOLEAN,
            "",
            "Whether it made what later iterations like it find made: a recording, a plan of a product;"
                + " absent if the executor does not say.",
            (row, cells) -> cells.flag(row.step().firstOfKind()))
        .integer(
            "encoded_items",
            "",
            "Images and other multi-modal items that it encoded.",
            row -> row.step().encodedItems())
        .integer(
            "encoded_embeddings",
            "embeddings",
            "Their embeddings.",
            row -> row.step().encodedEmbeddings())
        .integer(
            "activated_experts",
            "experts",
            "Routed experts that computed for any token, summed over the layers; absent if the"
                + " executor does not say, or the model has none.",
            row -> row.step().activatedExperts());
  }
}
