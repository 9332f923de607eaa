package dev.headway.probes.csv.projection;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.probes.csv.table.ColumnType;
import dev.headway.probes.csv.table.Table;

/** The columns of {@code per_request.csv}. */
final class RequestColumns {

  private static final String ARRIVAL = "arrival_time";
  private static final String QUEUED = "queued_time";
  private static final String SCHEDULED = "first_scheduled_time";
  private static final String FIRST = "first_token_time";
  private static final String LAST = "last_token_time";
  private static final String COMPLETION = "completion_time";

  private RequestColumns() {}

  static Table<RequestRow> table() {
    final Table.Builder<RequestRow> table =
        Table.named(
            "per_request.csv",
            "One row per request.",
            "In the order in which requests ended or were rejected; those alive at the end of the"
                + " journal follow in the order of their numbers.");
    addLeading(table);
    addIdentity(table);
    addTimes(table);
    addWork(table);
    addFairness(table);
    addReasons(table);
    addTargets(table);
    addIngress(table);
    table.integer(
        "input_wait_count",
        "",
        "How often it waited for further input: a session does at the end of each turn but its last,"
            + " and at the end of that too if its input had not ended.",
        row -> row.accepted(RequestTimeline::inputWaits));
    addPhaseTimeouts(table);
    return table.calendar(row -> IterationRow.calendarBeginNs(row.runTimeline())).build();
  }

  private static void addLeading(Table.Builder<RequestRow> table) {
    table
        .encoded(
            "request_id",
            ColumnType.TEXT,
            "The caller's name; unique among live requests only, see request_number.",
            RequestRow::idCell)
        .instant(ARRIVAL, "Instant of submission.", RequestRow::arrivalNs)
        .instant(
            SCHEDULED,
            "Instant of the first admission: the end of scheduling of that step.",
            RequestRow::firstScheduledNs)
        .instant(COMPLETION, "Instant at which it ended.", RequestRow::completionNs)
        .integer(
            "waiting_time",
            "ns",
            "Time in the waiting queue, summed over all its stays; absent until it has ended.",
            row -> row.settled(request -> request.waits().totalNs()))
        .integer(
            "execution_time",
            "ns",
            "Time running: completion_time - queued_time - waiting_time.",
            RequestRow::executionNs)
        .duration(
            "e2e_latency", ARRIVAL, COMPLETION, "From arrival to the end.", RequestRow::endToEndNs)
        .integer("input_tokens", "tokens", "Prompt tokens.", RequestRow::promptTokens)
        .integer("output_tokens", "tokens", "Tokens generated.", RequestRow::outputTokens)
        .duration(
            "ttft",
            ARRIVAL,
            FIRST,
            "Time to first token, from arrival.",
            row -> row.accepted(RequestTimeline::ttftNs))
        .integer(
            "tpot",
            "ns",
            "Time per output token: (last_token_time - first_token_time) / (output_tokens - 1),"
                + " rounded down; absent for fewer than two tokens.",
            RequestRow::timePerOutputTokenNs)
        .column(
            "throughput",
            ColumnType.DECIMAL,
            "tokens/s",
            "output_tokens per second of e2e_latency.",
            (row, cells) -> cells.text(row.throughput()))
        .integer(
            "preemption_count",
            "",
            "How often it was preempted, cache resets included.",
            row -> row.accepted(RequestTimeline::preemptions))
        .integer(
            "eviction_count",
            "",
            "Preemptions after which computed KV blocks were lost: by a cache reset, or found"
                + " missing at resumption.",
            row -> row.accepted(RequestTimeline::evictions))
        .integer(
            "kv_cache_blocks",
            "blocks",
            "Most KV blocks held in a step.",
            row -> row.computed(RequestTimeline::peakBlocks));
  }

  private static void addIdentity(Table.Builder<RequestRow> table) {
    table
        .run(RequestRow::run)
        .integer(
            "request_number",
            "",
            "Order of arrival in its run, never reused; absent for a rejected request.",
            row -> row.accepted(RequestTimeline::number))
        .label("status", "finished, rejected or unfinished.", RequestRow::status)
        .label("finish_reason", "How it ended.", RequestRow::finishReason)
        .integer(
            "stop_token_id",
            "",
            "The stop token that ended it, if one did.",
            RequestRow::stopTokenId)
        .label("reject_reason", "Which rule refused it.", RequestRow::rejectReason)
        .text(
            "message",
            "What failed, or the rule that refused it with its numbers.",
            RequestRow::message)
        .text("tenant", "Tenant of the request.", RequestRow::tenant)
        .integer(
            "priority_score",
            "",
            "Its priority: smaller is more important; counts under the priority policy only.",
            row -> row.asked(QueuedRecord::priority, RejectedRecord::priority))
        .integer(
            "max_tokens",
            "tokens",
            "Most outputs.",
            row -> row.asked(QueuedRecord::maxTokens, RejectedRecord::maxTokens))
        .integer(
            "min_tokens", "tokens", "Fewest outputs.", row -> row.queued(QueuedRecord::minTokens));
  }

  private static void addTimes(Table.Builder<RequestRow> table) {
    table
        .instant(QUEUED, "Instant at which it entered the queue.", RequestRow::queuedNs)
        .instant(FIRST, "Instant at which its first token was available.", RequestRow::firstTokenNs)
        .instant(LAST, "Instant at which its last token was available.", RequestRow::lastTokenNs)
        .duration(
            "ingress_ns",
            ARRIVAL,
            QUEUED,
            "On the way to the engine.",
            row -> IterationRow.difference(row.arrivalNs(), row.queuedNs()))
        .duration(
            "queue_first_ns",
            QUEUED,
            SCHEDULED,
            "First stay in the queue.",
            row -> IterationRow.difference(row.queuedNs(), row.firstScheduledNs()))
        .duration(
            "ttft_engine_ns",
            QUEUED,
            FIRST,
            "Time to first token, from the queue.",
            row -> IterationRow.difference(row.queuedNs(), row.firstTokenNs()))
        .integer(
            "prefill_time",
            "ns",
            "Time running before the first token; all of it if there was none.",
            RequestRow::prefillNs)
        .duration(
            "decode_time",
            FIRST,
            COMPLETION,
            "From the first token to the end, decode_stall included.",
            RequestRow::decodeNs)
        .integer(
            "decode_stall",
            "ns",
            "Time in the queue between the first token and the end.",
            RequestRow::decodeStallNs)
        .column(
            "timing_valid",
            ColumnType.BOOLEAN,
            "",
            "Whether every instant is at or after its predecessor and no record is missing;"
                + " absent for a rejected request.",
            (row, cells) -> {
              final RequestTimeline request = row.timeline();
              if (request == null) {
                cells.absent();
              } else {
                cells.flag(request.isTimingValid());
              }
            });
  }

  private static void addWork(Table.Builder<RequestRow> table) {
    table
        .integer("total_tokens", "tokens", "Prompt and outputs.", RequestRow::totalTokens)
        .integer(
            "current_iteration",
            "",
            "Iterations it took part in.",
            row -> row.computed(RequestTimeline::iterations))
        .integer(
            "first_scheduled_iteration",
            "",
            "Iteration of its first admission.",
            row -> row.computed(request -> IterationRow.iteration(request.firstStep())))
        .integer(
            "computed_tokens",
            "tokens",
            "Tokens computed, recomputed_tokens included.",
            row -> row.computed(RequestTimeline::scheduledTokens))
        .integer(
            "recomputed_tokens",
            "tokens",
            "Tokens computed that had been computed before a preemption.",
            row -> row.computed(RequestTimeline::recomputedTokens))
        .integer(
            "cached_tokens",
            "tokens",
            "Tokens that its first admission found in the prefix cache.",
            row -> row.accepted(request -> Math.max(0, request.firstCachedTokens())))
        .integer(
            "resumed_cached_tokens",
            "tokens",
            "Tokens that its resumptions found in the prefix cache, summed.",
            row -> row.accepted(RequestTimeline::resumedCachedTokens))
        .integer(
            "evicted_tokens",
            "tokens",
            "Tokens whose KV was gone at a resumption, summed.",
            row -> row.accepted(RequestTimeline::evictedTokens))
        .integer(
            "kv_cache_memory_bytes",
            "bytes",
            "kv_cache_blocks in bytes; absent if the size of a block is not known.",
            RequestRow::peakMemoryBytes);
  }

  private static void addFairness(Table.Builder<RequestRow> table) {
    table
        .integer(
            "starvation",
            "ns",
            "Longest stay in the queue.",
            row -> row.settled(request -> request.waits().longestNs()))
        .column(
            "service_rate",
            ColumnType.DECIMAL,
            "tokens/s",
            "computed_tokens per second from queued_time to completion_time.",
            (row, cells) -> cells.text(row.serviceRate()))
        .integer(
            "wait_count",
            "",
            "Stays in the queue.",
            row -> row.accepted(request -> request.waits().intervals()))
        .integer(
            "queue_position_first",
            "",
            "Position in the queue, from 0, in the first iteration it waited in.",
            row -> row.waited(QueueHistory::first))
        .integer(
            "queue_position_max", "", "Largest position.", row -> row.waited(QueueHistory::largest))
        .column(
            "queue_position_mean",
            ColumnType.DECIMAL,
            "",
            "Mean position over the iterations it waited in.",
            (row, cells) ->
                cells.ratio(row.waited(QueueHistory::sum), row.waited(QueueHistory::count)))
        .json(
            "queue_position_history",
            "Changes of the position as [[iteration,position],…]: all of the first "
                + WaitingQueueOrder.EXACT_POSITIONS
                + " places, samples further back; a long one is thinned out.",
            RequestRow::queueHistory);
  }

  private static void addReasons(Table.Builder<RequestRow> table) {
    table.json(
        "waiting_other_ns",
        "Part of waiting_time for reasons without a column, as {\"reason\":ns}.",
        RequestRow::waitedForOthers);
    for (int i = 0; i < WaitReasons.KNOWN.size(); i++) {
      final int index = i;
      final String reason = WaitReasons.KNOWN.get(i);
      table.integer(
          "waiting_" + reason + "_ns",
          "ns",
          "Part of waiting_time with the reason " + reason + ".",
          row -> row.waitedForNs(index));
    }
  }

  private static void addPhaseTimeouts(Table.Builder<RequestRow> table) {
    table
        .integer(
            "queue_timeout_ns",
            "ns",
            "How soon after its submission it was to be begun by a timeout of its own; absent if it"
                + " had none.",
            row -> row.queued(QueuedRecord::queueTimeoutNs))
        .integer(
            "run_timeout_ns",
            "ns",
            "How soon after it was begun it was to end by a timeout of its own; absent if it had"
                + " none.",
            row -> row.queued(QueuedRecord::runTimeoutNs));
  }

  private static void addIngress(Table.Builder<RequestRow> table) {
    table
        .label(
            "ingress_reason",
            "What the engine did in ingress_ns: step_in_progress (it takes requests in between two"
                + " steps) or engine_idle (it had to wake up); absent if ingress_ns is 0.",
            RequestRow::ingressReason)
        .integer(
            "ingress_iteration",
            "",
            "The iteration that was in progress.",
            RequestRow::ingressIteration);
  }

  private static void addTargets(Table.Builder<RequestRow> table) {
    table
        .integer(
            "ttft_target_ns",
            "ns",
            "How soon after its arrival it wanted its first token; absent if it did not say.",
            row -> row.queued(QueuedRecord::ttftTargetNs))
        .column(
            "ttft_target_met",
            ColumnType.BOOLEAN,
            "",
            "Whether ttft <= ttft_target_ns; absent without a target, and until it ended or had its"
                + " first token.",
            RequestRow::putTargetMet)
        .integer(
            "timeout_ns",
            "ns",
            "How soon after its arrival it was to end anyhow; absent if never.",
            row -> row.queued(QueuedRecord::timeoutNs))
        .text("adapter", "Name of its LoRA adapter.", RequestRow::adapter)
        .integer(
            "host_cached_tokens",
            "tokens",
            "Of cached_tokens and resumed_cached_tokens, those found in the host tier only and loaded.",
            row -> row.accepted(RequestTimeline::hostCachedTokens))
        .integer(
            "items",
            "",
            "Images and other multi-modal items of its prompt.",
            row -> row.queued(QueuedRecord::items))
        .integer(
            "item_embeddings",
            "embeddings",
            "Those of all its items, which an encoder computes.",
            row -> row.queued(QueuedRecord::embeddings))
        .integer(
            "external_cached_tokens",
            "tokens",
            "Of cached_tokens and resumed_cached_tokens, those that a KV connector has loaded.",
            row -> row.accepted(RequestTimeline::externalCachedTokens));
  }
}
