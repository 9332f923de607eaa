package dev.headway.probes.csv.training;

import dev.headway.probes.csv.table.ColumnType;
import dev.headway.probes.csv.table.Table;

/** The columns of {@code beta.csv}. */
final class BetaColumns {

  private BetaColumns() {}

  static Table<BetaRow> table(RunColumns runColumns) {
    final Table.Builder<BetaRow> table =
        Table.named(
            "beta.csv",
            "One row per executed step with tokens whose entries were recorded.",
            "In the order of the steps.");
    identityAndTargets(table);
    batch(table);
    attention(table);
    host(table);
    runColumns.append(table, BetaRow::run);
    return table.build();
  }

  private static void identityAndTargets(Table.Builder<BetaRow> table) {
    table
        .run(row -> row.run().index())
        .integer("step", "", "Number of the step, from 1.", row -> row.step.plan().stepId())
        .integer(
            "begin_ns",
            "ns",
            "Scheduling began; split by it, not at random.",
            row -> row.step.plan().beginNs())
        .integer(
            "beta_forward_ns",
            "ns",
            "Target: the forward pass as the executor timed it, or from hand-over to output; absent"
                + " if only the latter is known and another step was in flight.",
            BetaRow::forwardNs)
        .integer(
            "beta_step_ns",
            "ns",
            "Target: from the begin of this step to that of the next, and where steps overlap from"
                + " the output of the one before to its own; absent if the engine was empty in"
                + " between, and for the last.",
            row -> row.periodNs)
        .integer(
            "beta_host_ns",
            "ns",
            "Target: what is left of begin to end without the forward pass; absent if another step"
                + " was in flight.",
            BetaRow::hostNs)
        .integer("schedule_ns", "ns", "To decide.", row -> row.step.plan().scheduleNs())
        .integer("prepare_ns", "ns", "To build and upload.", row -> row.step.prepareNs())
        .integer("sample_ns", "ns", "To sample.", row -> row.step.sampleNs())
        .integer("update_ns", "ns", "To take the output over.", BetaRow::updateNs)
        .integer("idle_ns", "ns", "The executor had nothing before it.", row -> row.step.idleNs())
        .column(
            "warm_up",
            ColumnType.BOOLEAN,
            "",
            "Among the first ten steps of its run.",
            (row, cells) -> cells.flag(row.warmUp))
        .column(
            "overlapped",
            ColumnType.BOOLEAN,
            "",
            "Another step was in flight.",
            (row, cells) -> cells.flag(row.step.isOverlapped()))
        .column(
            "first_of_kind",
            ColumnType.BOOLEAN,
            "",
            "It made what later steps like it find made; absent if the executor does not say.",
            (row, cells) -> cells.flag(row.step.firstOfKind()))
        .integer(
            "preempted_requests",
            "requests",
            "Preempted before it.",
            row -> row.step.changes().preempted().size());
  }

  private static void batch(Table.Builder<BetaRow> table) {
    table
        .integer(
            "n_prefill",
            "requests",
            "Not decoding: prompts and recomputation.",
            row -> row.features.prefillRequests())
        .integer(
            "n_decode",
            "requests",
            "Computing their newest output, all before it being computed.",
            row -> row.features.decodeRequests())
        .integer(
            "t_prefill", "tokens", "Tokens of the former.", row -> row.features.prefillTokens())
        .integer("t_decode", "tokens", "Tokens of the latter.", row -> row.features.decodeTokens())
        .integer(
            "n_new", "requests", "Admitted for the first time.", row -> row.features.newRequests())
        .integer("n_resumed", "requests", "Admitted again.", row -> row.features.resumedRequests())
        .integer(
            "n_spec",
            "requests",
            "Decoding, with draft tokens to verify.",
            row -> row.features.draftingRequests())
        .integer("batch_size", "requests", "All of them.", row -> row.step.plan().batchSize())
        .integer(
            "batch_delta",
            "requests",
            "batch_size less that of the step before.",
            row -> row.batchDelta);
  }

  private static void attention(Table.Builder<BetaRow> table) {
    table
        .column(
            "prefill_attention_pairs",
            ColumnType.DECIMAL,
            "",
            "Sum over prefills of chunk * (context + chunk / 2).",
            (row, cells) -> cells.ratio(row.features.twicePrefillPairs(), 2))
        .integer(
            "decode_context_sum",
            "tokens",
            "Sum of contexts of decodes.",
            row -> row.features.decodeContextTokens())
        .integer(
            "decode_context_square_sum",
            "",
            "Sum of their squares, for the skew.",
            row -> row.features.decodeContextSquares())
        .integer(
            "max_context", "tokens", "The longest context.", row -> row.features.longestContext())
        .integer(
            "decode_context_max",
            "tokens",
            "The longest context of a decode.",
            row -> row.features.longestDecodeContext())
        .integer(
            "kv_blocks_read", "blocks", "Blocks held by the batch.", row -> row.features.kvBlocks())
        .column(
            "kv_usage",
            ColumnType.DECIMAL,
            "",
            "Blocks used of those usable.",
            (row, cells) ->
                cells.ratio(
                    row.run().usableBlocks() - row.step.plan().freeBlocks(),
                    row.run().usableBlocks()))
        .integer("kv_free_blocks", "blocks", "Free.", row -> row.step.plan().freeBlocks())
        .integer(
            "kv_evicted_blocks",
            "blocks",
            "Cached blocks taken for other content since the step before.",
            row -> row.step.changes().removedBlocks());
  }

  private static void host(Table.Builder<BetaRow> table) {
    table
        .integer("waiting_depth", "requests", "Waiting.", row -> row.step.plan().waitingCount())
        .integer("running_depth", "requests", "Running.", row -> row.step.plan().runningCount())
        .integer("sampled_tokens", "tokens", "Came out of it.", row -> row.step.producedTokens())
        .integer(
            "prefill_context_sum",
            "tokens",
            "Sum of contexts of prefills.",
            row -> row.features.prefillContextTokens())
        .integer(
            "sampling_requests", "requests", "Got a token.", row -> row.features.samplingRequests())
        .integer(
            "kv_saved_blocks",
            "blocks",
            "Saved to host memory before it computed; 0 if transfers were not recorded.",
            row -> row.features.savedBlocks())
        .integer(
            "kv_loaded_blocks",
            "blocks",
            "Loaded from host memory before it computed; likewise.",
            row -> row.features.loadedBlocks())
        .integer(
            "activated_experts",
            "experts",
            "Routed experts that computed for any token, summed over the layers; absent if the"
                + " executor does not say, or the model has none.",
            row -> row.step.activatedExperts());
  }
}
