package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Decision;
import dev.headway.events.model.EntryClass;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepEntries;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.KvStoredRecord;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.LimitsChangedRecord;
import dev.headway.events.record.LimitsChangedRecord.Limits;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.probes.csv.projection.EventColumns.EventRow;
import dev.headway.probes.csv.projection.EventColumns.TransitionRow;
import dev.headway.probes.csv.table.CsvFile;
import dev.headway.toolbox.text.JsonText;
import org.jspecify.annotations.Nullable;

/** The rows of {@code events.csv} and {@code state_transitions.csv} of one run. */
final class EventRows {

  private final RunTimeline run;
  private final EventLog events;
  private final CsvFile<TransitionRow> transitions;
  private final JsonText json = new JsonText();

  EventRows(RunTimeline run, EventLog events, CsvFile<TransitionRow> transitions) {
    this.run = run;
    this.events = events;
    this.transitions = transitions;
  }

  void started() {
    final String details =
        json.begin()
            .put("headway_version", run.header().headwayVersion())
            .put("level", run.header().level())
            .put("virtual_time", run.header().virtualTime())
            .end();
    ofRun("run_started", 0, ABSENT, details);
  }

  void queued(RequestCells request) {
    final QueuedRecord queued = request.timeline().queued();
    final String asked =
        asked(
            queued.promptTokens(),
            queued.maxTokens(),
            queued.minTokens(),
            queued.priority(),
            queued.tenant());
    event(request, "request_arrived", queued.arrivalNs(), ABSENT, asked);
    final String details =
        json.begin().put("ingress_ns", queued.queuedNs() - queued.arrivalNs()).end();
    event(request, "request_queued", queued.queuedNs(), ABSENT, details);
    transition(request, queued.queuedNs(), "queued", ABSENT);
  }

  void rejected(RejectedRecord rejected, String idCell) {
    final String asked =
        asked(
            rejected.promptTokens(),
            rejected.maxTokens(),
            ABSENT,
            rejected.priority(),
            rejected.tenant());
    add("request_arrived", rejected.atNs(), idCell, ABSENT, ABSENT, asked);
    final String details =
        json.begin().put("reason", rejected.reason()).put("message", rejected.message()).end();
    add("request_rejected", rejected.atNs(), idCell, ABSENT, run.latestStep(), details);
  }

  void admitted(RequestCells request, AdmittedRecord admitted, long nowNs, long stepId) {
    transition(request, nowNs, admitted.kind(), stepId);
    final String details =
        json.begin()
            .put("kind", admitted.kind())
            .put("waited_ns", request.timeline().leftStateNs())
            .put("cached_tokens", admitted.cachedTokens())
            .put("host_cached_tokens", admitted.hostCachedTokens())
            .put("external_tokens", admitted.externalTokens())
            .put("evicted_tokens", admitted.evictedTokens())
            .end();
    event(request, "request_admitted", nowNs, stepId, details);
  }

  void preempted(
      RequestCells request,
      PreemptedRecord preempted,
      @Nullable RequestTimeline beneficiary,
      long nowNs,
      long stepId) {
    if (request.timeline().phase() == Phase.PREEMPTED) { // else a session, which waited
      transition(request, nowNs, preempted.cause(), stepId);
    }
    final String details =
        json.begin()
            .put("cause", preempted.cause())
            .put("beneficiary", idOf(beneficiary))
            .put("lost_tokens", preempted.lostTokens())
            .put("freed_blocks", preempted.freedBlocks())
            .put("missing_blocks", preempted.missingBlocks())
            .end();
    event(request, "request_preempted", nowNs, stepId, details);
    freed(request, preempted.freedBlocks(), nowNs, stepId);
  }

  void evicted(RequestCells request, String cause, int tokens, long nowNs, long stepId) {
    final String details = json.begin().put("cause", cause).put("evicted_tokens", tokens).end();
    event(request, "request_evicted", nowNs, stepId, details);
  }

  void blocked(
      RequestCells request,
      BlockedRecord blocked,
      @Nullable RequestTimeline blocker,
      long nowNs,
      long stepId) {
    if (endsTurn(request.timeline(), blocked, nowNs)) {
      transition(request, nowNs, blocked.reason(), stepId);
    }
    final String details =
        json.begin()
            .put("reason", blocked.reason())
            .put("blocker", idOf(blocker))
            .put("needed", blocked.needed())
            .put("free", blocked.free())
            .end();
    event(request, "request_blocked", nowNs, stepId, details);
  }

  /** Whether it was a running request: a session, which waits for input from now on. */
  private static boolean endsTurn(RequestTimeline request, BlockedRecord blocked, long nowNs) {
    final Phase left = request.leftPhase();
    return blocked.atNs() != ABSENT
        && left != null
        && left.isRunning()
        && request.phase().isWaiting()
        && request.phaseSinceNs() == nowNs;
  }

  void unblocked(RequestCells request, long nowNs, long stepId) {
    event(request, "request_unblocked", nowNs, stepId, null);
  }

  void scored(RequestCells request, double score, long nowNs, long stepId) {
    event(request, "request_scored", nowNs, stepId, json.begin().put("score", score).end());
  }

  void admissionsClosed(Decision.AdmissionsClosed closed, long nowNs, long stepId) {
    final String details =
        json.begin()
            .put("reason", closed.record().reason())
            .put("blocker", idOf(closed.blocker()))
            .end();
    ofRun("admissions_closed", nowNs, stepId, details);
  }

  void kvStored(@Nullable RequestCells request, KvStoredRecord stored, long nowNs, long stepId) {
    json.begin().put("blocks", stored.count()).put("first_token", stored.firstToken());
    if (stored.hasParent()) {
      json.putHex("parent", stored.parent());
    }
    final String details = json.putHex("hashes", stored.contentHashes(), stored.count()).end();
    eventOrNone(request, "kv_block_stored", nowNs, stepId, details);
  }

  void kvRemoved(long contentHash, long nowNs, long stepId) {
    final String details = json.begin().putHex("hash", contentHash).end();
    ofRun("kv_block_removed", nowNs, stepId, details);
  }

  void kvCleared(long nowNs, long stepId) {
    ofRun("kv_cache_cleared", nowNs, stepId, null);
  }

  void kvTransfer(KvTransferRecord moved, @Nullable RequestCells request) {
    final String details =
        json.begin()
            .put("transfer_id", moved.transferId())
            .put("step_id", moved.stepId())
            .put("source", moved.sourceMedium())
            .put("target", moved.targetMedium())
            .put("blocks", moved.blockCount())
            .put("reason", moved.reason())
            .put("succeeded", moved.succeeded())
            .end();
    eventOrNone(request, "kv_transfer_" + moved.stage(), moved.atNs(), run.latestStep(), details);
  }

  void cacheReset(String scope, long nowNs) {
    final String details = json.begin().put("scope", scope).end();
    ofRun("cache_reset", nowNs, run.latestStep(), details);
  }

  /** Old and new figure of each limit that is another now. */
  void limitsChanged(LimitsChangedRecord changed) {
    final Limits before = changed.before();
    final Limits after = changed.after();
    json.begin();
    putChange("max_num_active_seqs", before.maxNumActiveSeqs(), after.maxNumActiveSeqs());
    putChange(
        "max_num_scheduled_tokens", before.maxNumScheduledTokens(), after.maxNumScheduledTokens());
    putChange(
        "long_prefill_token_threshold",
        before.longPrefillTokenThreshold(),
        after.longPrefillTokenThreshold());
    putChange(
        "max_num_partial_prefills", before.maxNumPartialPrefills(), after.maxNumPartialPrefills());
    putChange(
        "max_long_partial_prefills",
        before.maxLongPartialPrefills(),
        after.maxLongPartialPrefills());
    putChange("max_num_queued_reqs", before.maxNumQueuedReqs(), after.maxNumQueuedReqs());
    putChange("max_num_queued_tokens", before.maxNumQueuedTokens(), after.maxNumQueuedTokens());
    if (before.watermark() != after.watermark()) {
      json.put("old_watermark", before.watermark()).put("watermark", after.watermark());
    }
    ofRun("limits_changed", changed.atNs(), run.latestStep(), json.end());
  }

  private void putChange(String name, long before, long after) {
    if (before != after) {
      json.put("old_" + name, before).put(name, after);
    }
  }

  /** What the server saw, often reported later and of a request that the engine no longer has. */
  void journey(JourneyRecord journey, String idCell) {
    final String details =
        journey.reason() == null && journey.error() == null
            ? null
            : json.begin().put("reason", journey.reason()).put("error", journey.error()).end();
    add("api_" + journey.stage(), journey.atNs(), idCell, ABSENT, run.latestStep(), details);
  }

  void firstToken(RequestCells request, long nowNs, long stepId) {
    event(request, "first_token_generated", nowNs, stepId, null);
  }

  /** A request ended; its completion follows once its last tokens are known. */
  void finished(RequestCells request, FinishedRecord finished) {
    transition(request, finished.atNs(), finished.reason(), finished.stepId());
    freed(request, finished.freedBlocks(), finished.atNs(), finished.stepId());
  }

  void completed(RequestCells request, FinishedRecord finished, long outputTokens) {
    final String details =
        json.begin()
            .put("finish_reason", finished.reason())
            .put("stop_token_id", finished.stopTokenId())
            .put("output_tokens", outputTokens)
            .put("cause", finished.cause())
            .end();
    event(request, "request_completed", finished.atNs(), finished.stepId(), details);
  }

  /** An entry of a step: what of its prompt is computed, and the blocks it got for that. */
  void scheduled(StepTimeline step, int entry, RequestTimeline request) {
    final StepEntries entries = step.entries();
    if (entries.entryClass(entry) != EntryClass.DECODE) {
      final String details =
          json.begin()
              .put("tokens", entries.scheduledTokens(entry))
              .put("computed_tokens", entries.computedTokens(entry))
              .put("samples", entries.samples(entry))
              .end();
      event(
          RequestCells.of(request),
          "request_scheduled",
          step.plan().endNs(),
          step.plan().stepId(),
          details);
    }
    if (entries.newBlocks(entry) > 0) {
      final String details =
          json.begin()
              .put("blocks", entries.newBlocks(entry))
              .put("held_blocks", entries.blocks(entry))
              .end();
      event(
          RequestCells.of(request),
          "kv_cache_allocated",
          step.plan().endNs(),
          step.plan().stepId(),
          details);
    }
  }

  void planned(StepTimeline step) {
    events.planned(step.plan().beginNs());
  }

  void dropped(long records) {
    final String details = json.begin().put("records", records).end();
    ofRun("records_dropped", run.latestNs(), run.latestStep(), details);
  }

  void runEnded(long nowNs) {
    ofRun("run_ended", nowNs, run.latestStep(), null);
  }

  /** What a request asked for. */
  private String asked(
      int promptTokens, int maxTokens, long minTokens, int priority, @Nullable String tenant) {
    return json.begin()
        .put("prompt_tokens", promptTokens)
        .put("max_tokens", maxTokens)
        .put("min_tokens", minTokens)
        .put("priority", priority)
        .put("tenant", tenant)
        .end();
  }

  private void freed(RequestCells request, int blocks, long nowNs, long stepId) {
    if (blocks > 0) {
      event(request, "kv_cache_freed", nowNs, stepId, json.begin().put("blocks", blocks).end());
    }
  }

  private void event(
      RequestCells request, String type, long nowNs, long stepId, @Nullable String details) {
    add(type, nowNs, request.idCell(), request.number(), stepId, details);
  }

  private void eventOrNone(
      @Nullable RequestCells request, String type, long nowNs, long stepId, String details) {
    if (request == null) {
      ofRun(type, nowNs, stepId, details);
    } else {
      event(request, type, nowNs, stepId, details);
    }
  }

  private void ofRun(String type, long nowNs, long stepId, @Nullable String details) {
    add(type, nowNs, null, ABSENT, stepId, details);
  }

  private void add(
      String type,
      long nowNs,
      @Nullable String idCell,
      long number,
      long stepId,
      @Nullable String details) {
    final long iteration = IterationRow.iteration(stepId);
    events.add(new EventRow(run, nowNs, type, idCell, number, iteration, details));
  }

  private void transition(RequestCells request, long nowNs, String reason, long stepId) {
    transitions.write(new TransitionRow(run, request, nowNs, reason, stepId));
  }

  private static @Nullable String idOf(@Nullable RequestTimeline request) {
    return request == null ? null : request.id();
  }
}
