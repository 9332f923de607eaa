package dev.headway.probes.csv.training;

import dev.headway.probes.csv.table.ColumnType;
import dev.headway.probes.csv.table.Table;

/** The columns of {@code alpha.csv}. */
final class AlphaColumns {

  private AlphaColumns() {}

  static Table<AlphaRow> table(RunColumns runColumns) {
    final Table.Builder<AlphaRow> table =
        Table.named(
            "alpha.csv",
            "One row per request that entered the queue; features are as it found the engine.",
            "In the order in which requests were first scheduled, or ended without being so; those"
                + " that still wait follow.");
    identityAndTargets(table);
    requestFeatures(table);
    engineFeatures(table);
    runColumns.append(table, AlphaRow::run);
    return table.build();
  }

  private static void identityAndTargets(Table.Builder<AlphaRow> table) {
    table
        .run(row -> row.run().index())
        .integer(
            "request_number",
            "",
            "Order of arrival in its run.",
            row -> row.request().queued().requestNumber())
        .integer(
            "queued_ns",
            "ns",
            "Instant at which it entered the queue; split by it, not at random.",
            row -> row.request().queued().queuedNs())
        .integer(
            "alpha_ingress_ns",
            "ns",
            "Target: from arrival to the queue. Never mix it with the next.",
            row -> row.request().queued().queuedNs() - row.request().queued().arrivalNs())
        .integer(
            "alpha_wait_ns",
            "ns",
            "Target: from the queue to the first schedule; a lower bound if censored.",
            AlphaRow::waitNs)
        .column(
            "censored",
            ColumnType.BOOLEAN,
            "",
            "Whether it ended, or the journal did, before it was scheduled.",
            (row, cells) -> cells.flag(row.isCensored()));
  }

  private static void requestFeatures(Table.Builder<AlphaRow> table) {
    table
        .integer(
            "prompt_tokens", "tokens", "Its prompt.", row -> row.request().queued().promptTokens())
        .integer("max_tokens", "tokens", "Most outputs.", row -> row.request().queued().maxTokens())
        .integer(
            "priority", "", "Smaller is more important.", row -> row.request().queued().priority())
        .text("tenant", "Tenant of the request.", row -> row.request().queued().tenant())
        .integer(
            "prefix_hit_tokens",
            "tokens",
            "Found in the prefix cache; known at its admission only, so no feature for predictions"
                + " at arrival.",
            row -> row.request().latestCachedTokens());
  }

  private static void engineFeatures(Table.Builder<AlphaRow> table) {
    table
        .integer(
            "waiting_depth",
            "requests",
            "Waiting already; its position under FCFS.",
            row -> row.found().waitingDepth())
        .integer(
            "waiting_tokens",
            "tokens",
            "Known tokens of those, cached ones included.",
            row -> row.found().waitingTokens())
        .integer("running_depth", "requests", "Running.", row -> row.found().runningDepth())
        .integer(
            "decode_tokens_owed",
            "tokens",
            "Outputs that the running ones may still ask for.",
            row -> row.found().owedTokens())
        .integer(
            "kv_free_blocks",
            "blocks",
            "Free after the latest decision.",
            row -> row.found().freeBlocks())
        .column(
            "kv_usage",
            ColumnType.DECIMAL,
            "",
            "Blocks used of those usable.",
            (row, cells) ->
                cells.ratio(
                    row.run().usableBlocks() - row.found().freeBlocks(), row.run().usableBlocks()))
        .integer(
            "kv_block_deficit",
            "blocks",
            "Blocks that its prompt needs beyond those.",
            AlphaRow::blockDeficit)
        .integer(
            "since_decision_ns",
            "ns",
            "Since the latest decision.",
            row -> row.found().sinceDecisionNs())
        .integer(
            "since_admission_ns",
            "ns",
            "Since the latest admission.",
            row -> row.found().sinceAdmissionNs())
        .integer(
            "mean_step_ns",
            "ns",
            "Moving mean from step to step, a new one weighs 1/8.",
            row -> row.found().meanStepNs())
        .integer(
            "mean_arrival_gap_ns",
            "ns",
            "Moving mean from arrival to arrival, a new one weighs 1/8.",
            row -> row.found().meanArrivalGapNs())
        .label(
            "blocking_reason",
            "Why those that wait do; absent if none does.",
            row -> row.found().sharedReason());
  }
}
