package dev.headway.report.profile;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.step.StepFeatures;
import dev.headway.events.model.EntryClass;
import dev.headway.events.model.PrefixLookups;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepEntries;
import dev.headway.events.model.StepPlanFigures;
import dev.headway.events.model.StepTimeline;
import dev.headway.toolbox.text.JsonText;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes a step as a line of the profile. The first 17 members are those of the original, in its
 * order; what follows is ours and only ever appended to. Not thread-safe.
 */
public final class ProfileLine {

  /** Version of the members after the 17th; rises when one is appended. */
  public static final int SCHEMA = 1;

  private final JsonText json = new JsonText();
  private final StepFeatures features = new StepFeatures();

  /** Returns the line without its end; valid until the next call. */
  public StringBuilder of(StepTimeline step, long batchId) {
    json.begin();
    times(step, batchId);
    batch(step);
    depths(step);
    identity(step);
    changes(step);
    requests(step);
    waits(step);
    instants(step);
    return json.endInBuffer();
  }

  private void times(StepTimeline step, long batchId) {
    final StepPlanFigures plan = step.plan();
    final long totalNs = step.wasExecuted() ? step.outputNs() - plan.beginNs() : ABSENT;
    json.number("batch_id", batchId)
        .unixSeconds("timestamp", step.run().unixNs(plan.endNs()))
        .millis("schedule_duration_ms", step.scheduleNs())
        .millis("model_run_duration_ms", step.runNs())
        .millis("total_step_duration_ms", totalNs);
  }

  private void batch(StepTimeline step) {
    final StepPlanFigures plan = step.plan();
    final StepEntries entries = step.entries();
    if (!step.areEntriesKnown()) {
      batchInSummary(plan);
      return;
    }
    features.begin();
    entries.addTo(features);
    json.number("num_prefill_reqs", features.prefillRequests())
        .number("num_decode_reqs", features.decodeRequests())
        .number("total_scheduled_tokens", plan.totalTokens());
    final Chunks prefills = new Chunks();
    for (int entry = 0; entry < entries.size(); entry++) {
      if (isPrefill(entries, entry)) {
        prefills.add(entries.scheduledTokens(entry));
      }
    }
    list(entries, "prefill_chunk_sizes", e -> isPrefill(entries, e), entries::scheduledTokens);
    list(entries, "decode_chunk_sizes", e -> !isPrefill(entries, e), entries::scheduledTokens);
    json.ratio("avg_prefill_chunk_size", features.prefillTokens(), features.prefillRequests())
        .number("max_prefill_chunk_size", prefills.largest)
        .number("min_prefill_chunk_size", prefills.smallest)
        .ratio("avg_decode_chunk_size", features.decodeTokens(), features.decodeRequests());
  }

  /** Without entries there are sums and no lists. */
  private void batchInSummary(StepPlanFigures plan) {
    final int decodes = plan.batchSize() - plan.prefillRequests();
    json.number("num_prefill_reqs", plan.prefillRequests())
        .number("num_decode_reqs", decodes)
        .number("total_scheduled_tokens", plan.totalTokens())
        .none("prefill_chunk_sizes")
        .none("decode_chunk_sizes")
        .ratio("avg_prefill_chunk_size", plan.prefillTokens(), plan.prefillRequests())
        .none("max_prefill_chunk_size")
        .none("min_prefill_chunk_size")
        .ratio("avg_decode_chunk_size", plan.totalTokens() - plan.prefillTokens(), decodes);
  }

  private void depths(StepTimeline step) {
    final int usable = step.run().usableBlocks();
    json.number("num_waiting_reqs", step.plan().waitingCount())
        .number("num_running_reqs", step.plan().runningCount())
        .ratio("kv_cache_usage", usable - step.plan().freeBlocks(), usable);
  }

  private void identity(StepTimeline step) {
    json.number("schema", SCHEMA)
        .number("step", step.plan().stepId())
        .text("mode", step.isOverlapped() ? "overlap" : "sync");
  }

  private void changes(StepTimeline step) {
    final StepEntries entries = step.entries();
    final boolean known = step.areEntriesKnown();
    final long budget = step.run().tokenBudget();
    json.number("num_recompute_reqs", known ? entries.count(EntryClass.RECOMPUTE) : ABSENT)
        .number("recompute_tokens", known ? entries.recomputedTokens() : ABSENT)
        .number("num_preempted", step.changes().preempted().size())
        .beginList("preempted_ids");
    for (RequestTimeline request : step.changes().preempted()) {
      json.textItem(request.queued().requestId());
    }
    json.endList()
        .number("num_finished", step.finishedRequests())
        .number("num_admitted", step.changes().admitted().size())
        .number("token_budget", budget)
        .number("budget_left", budget == ABSENT ? ABSENT : budget - step.plan().totalTokens());
  }

  private void requests(StepTimeline step) {
    final StepEntries entries = step.entries();
    json.number("cached_prefix_tokens", step.changes().cachedTokens());
    if (step.areEntriesKnown()) {
      list(entries, "computed_tokens", entry -> true, entries::computedTokens);
      list(entries, "cached_tokens", entry -> true, entries::cachedTokens);
    } else {
      json.none("computed_tokens").none("cached_tokens");
    }
  }

  private void waits(StepTimeline step) {
    json.beginObject("wait_reasons");
    step.waitReasons().forEach(json::number);
    json.endObject()
        .text("hol_blocker", step.headBlocker())
        .text("policy", policy(step.run()))
        .none("policy_ns"); // no record has it
  }

  private void instants(StepTimeline step) {
    final StepPlanFigures plan = step.plan();
    json.number("launch_ns", step.submitNs())
        .number("result_ns", step.outputNs())
        .number("sched_begin_ns", plan.beginNs())
        .number("sched_end_ns", plan.endNs())
        .millis("gpu_idle_ms", step.idleNs())
        .number("blocks_free", plan.freeBlocks())
        .number("blocks_total", step.run().usableBlocks());
    if (step.areEntriesKnown()) {
      json.beginList("req_ids");
      for (int entry = 0; entry < step.entries().size(); entry++) {
        final RequestTimeline request = step.entries().request(entry);
        json.textItem(request == null ? null : request.queued().requestId());
      }
      json.endList();
    } else {
      json.none("req_ids");
    }
    json.millis("step_period_ms", step.periodNs())
        .number("produced_tokens", step.producedTokens())
        .text("run_id", step.run().id());
    if (step.areEntriesKnown()) {
      list(step.entries(), "chunk_sizes", entry -> true, step.entries()::scheduledTokens);
    } else {
      json.none("chunk_sizes");
    }
    final PrefixLookups lookups = step.changes().lookups();
    json.number("prefix_cache_requests", lookups.requests())
        .number("prefix_cache_requests_hit", lookups.requestsHit())
        .number("prefix_cache_queries", lookups.queries())
        .number("prefix_cache_hits", lookups.hits());
  }

  private void list(
      StepEntries entries, String name, IntPredicate wanted, IntToLongFunction value) {
    json.beginList(name);
    for (int entry = 0; entry < entries.size(); entry++) {
      if (wanted.test(entry)) {
        json.numberItem(value.applyAsLong(entry));
      }
    }
    json.endList();
  }

  private static boolean isPrefill(StepEntries entries, int entry) {
    return entries.entryClass(entry).countsAsPrefill();
  }

  private static @Nullable String policy(RunTimeline run) {
    final String policy = run.header().config().get("queuePolicy");
    return policy == null ? null : policy.toLowerCase(Locale.ROOT);
  }

  /** Chunks of one class. */
  private static final class Chunks {
    private long largest = ABSENT;
    private long smallest = ABSENT;

    void add(int tokens) {
      largest = Math.max(largest, tokens); // absent is the smallest number there is
      smallest = smallest == ABSENT ? tokens : Math.min(smallest, tokens);
    }
  }
}
