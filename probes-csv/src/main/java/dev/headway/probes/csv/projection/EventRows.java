package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Decision;
import dev.headway.events.model.EntryClass;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepEntries;
import dev.headway.events.model.StepTimeline;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.KvStoredRecord;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.text.JsonText;
import dev.headway.probes.csv.table.CsvFile;
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
    events.add(0, "run_started", null, ABSENT, details);
  }

  void queued(RequestCells request) {
    final RequestIdentity identity = request.identity();
    arrived(identity);
    final String details =
        json.begin().put("ingress_ns", identity.queuedNs() - identity.arrivalNs()).end();
    events.add(identity.queuedNs(), "request_queued", identity, ABSENT, details);
    transition(request, null, identity.queuedNs(), "queued", ABSENT);
  }

  void rejected(RequestIdentity identity, String reason, String message) {
    arrived(identity);
    final String details = json.begin().put("reason", reason).put("message", message).end();
    events.add(identity.arrivalNs(), "request_rejected", identity, latestIteration(), details);
  }

  void admitted(RequestCells request, AdmittedRecord admitted, long nowNs, long stepId) {
    final RequestPhase left = request.enter(RequestPhase.RUNNING);
    transition(request, left, nowNs, admitted.kind(), stepId);
    final String details =
        json.begin()
            .put("kind", admitted.kind())
            .put("waited_ns", request.timeline().leftStateNs())
            .put("cached_tokens", admitted.cachedTokens())
            .put("host_cached_tokens", admitted.hostCachedTokens())
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
    final RequestPhase left = request.enter(RequestPhase.PREEMPTED);
    transition(request, left, nowNs, preempted.cause(), stepId);
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
    final String details =
        json.begin()
            .put("reason", blocked.reason())
            .put("blocker", idOf(blocker))
            .put("needed", blocked.needed())
            .put("free", blocked.free())
            .end();
    event(request, "request_blocked", nowNs, stepId, details);
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
    events.add(nowNs, "admissions_closed", null, iteration(stepId), details);
  }

  void kvStored(@Nullable RequestCells request, KvStoredRecord stored, long nowNs, long stepId) {
    json.begin().put("blocks", stored.count()).put("first_token", stored.firstToken());
    if (stored.hasParent()) {
      json.putHex("parent", stored.parent());
    }
    final String details = json.putHex("hashes", stored.contentHashes(), stored.count()).end();
    final RequestIdentity identity = request == null ? null : request.identity();
    events.add(nowNs, "kv_block_stored", identity, iteration(stepId), details);
  }

  void kvRemoved(long contentHash, long nowNs, long stepId) {
    final String details = json.begin().putHex("hash", contentHash).end();
    events.add(nowNs, "kv_block_removed", null, iteration(stepId), details);
  }

  void kvCleared(long nowNs, long stepId) {
    events.add(nowNs, "kv_cache_cleared", null, iteration(stepId), null);
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
    final RequestIdentity identity = request == null ? null : request.identity();
    final String type = "kv_transfer_" + moved.stage();
    events.add(moved.atNs(), type, identity, latestIteration(), details);
  }

  void cacheReset(String scope, long nowNs) {
    final String details = json.begin().put("scope", scope).end();
    events.add(nowNs, "cache_reset", null, latestIteration(), details);
  }

  /** What the server saw, often reported later and of a request that the engine no longer has. */
  void journey(
      RequestIdentity identity, String stage, @Nullable String reason, @Nullable String error) {
    final String details =
        reason == null && error == null
            ? null
            : json.begin().put("reason", reason).put("error", error).end();
    events.add(identity.arrivalNs(), "api_" + stage, identity, latestIteration(), details);
  }

  void firstToken(RequestCells request, long nowNs, long stepId) {
    event(request, "first_token_generated", nowNs, stepId, null);
  }

  /** A request ended; its completion follows once its last tokens are known. */
  void finished(RequestCells request, FinishedRecord finished) {
    final RequestPhase left = request.enter(RequestPhase.COMPLETED);
    transition(request, left, finished.atNs(), finished.reason(), finished.stepId());
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
    events.add(run.latestNs(), "records_dropped", null, latestIteration(), details);
  }

  void runEnded(long nowNs) {
    events.add(nowNs, "run_ended", null, latestIteration(), null);
  }

  private void arrived(RequestIdentity identity) {
    final String details =
        json.begin()
            .put("prompt_tokens", identity.promptTokens())
            .put("max_tokens", identity.maxTokens())
            .put("min_tokens", identity.minTokens())
            .put("priority", identity.priority())
            .put("tenant", identity.tenant())
            .end();
    events.add(identity.arrivalNs(), "request_arrived", identity, ABSENT, details);
  }

  private void freed(RequestCells request, int blocks, long nowNs, long stepId) {
    if (blocks > 0) {
      event(request, "kv_cache_freed", nowNs, stepId, json.begin().put("blocks", blocks).end());
    }
  }

  private void event(
      RequestCells request, String type, long nowNs, long stepId, @Nullable String details) {
    events.add(nowNs, type, request.identity(), iteration(stepId), details);
  }

  private void transition(
      RequestCells request, @Nullable RequestPhase from, long nowNs, String reason, long stepId) {
    transitions.write(
        new TransitionRow(
            run,
            nowNs,
            request.identity(),
            from,
            request.state(),
            reason,
            iteration(stepId),
            from == null ? ABSENT : request.timeline().leftStateNs()));
  }

  private long latestIteration() {
    return iteration(run.latestStep());
  }

  private static long iteration(long stepId) {
    return IterationRow.iteration(stepId);
  }

  private static @Nullable String idOf(@Nullable RequestTimeline request) {
    return request == null ? null : request.id();
  }
}
