package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.text.JsonText;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.table.TextCell;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records of one run. Decisions wait here for the end of their step's scheduling, endings for
 * the tokens of their last step.
 */
final class RunRecords {

  private final Run run;
  private final WaitReasons reasons;
  private final RowFiles files;
  private final EventLog events;
  private final Anomalies anomalies;
  private final RequestLife life;
  private final StepRows steps;
  private final List<Decision> decisions = new ArrayList<>();
  private final Deque<Ending> endings = new ArrayDeque<>();
  private final JsonText json = new JsonText();
  private boolean endedCleanly;

  RunRecords(
      Run run,
      ConvertOptions options,
      WaitReasons reasons,
      RowFiles files,
      EventLog events,
      Anomalies anomalies) {
    this.run = run;
    this.reasons = reasons;
    this.files = files;
    this.events = events;
    this.anomalies = anomalies;
    this.life = new RequestLife(run, reasons, events, files.transitions, anomalies);
    this.steps =
        new StepRows(
            run, reasons, files, events, anomalies, options.iterationRequests(), options.idLists());
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

  String cell(String requestId) {
    return TextCell.encode(requestId, files.policy());
  }

  /** Returns a live request; null, and counted, if there is none of that number. */
  @Nullable RequestTimeline find(long number) {
    final RequestTimeline request = run.requests().get(number);
    if (request == null) {
      anomalies.unknownRequest();
    }
    return request;
  }

  /** Returns who a number is, or null for nobody and for one who is gone. */
  @Nullable RequestIdentity identityOf(long number) {
    final RequestTimeline request = run.requests().get(number);
    return request == null ? null : request.identity();
  }

  void queued(RequestIdentity identity) {
    run.at(identity.queuedNs());
    final RequestTimeline request = new RequestTimeline(identity, reasons.initialWaiting);
    if (run.requests().add(request.identity().number(), request)) {
      life.queue(request);
    } else {
      anomalies.inconsistent();
    }
  }

  void rejected(RequestIdentity identity, String reason, String message) {
    run.at(identity.arrivalNs());
    life.arrived(identity);
    final String details = json.begin().put("reason", reason).put("message", message).end();
    events.add(identity.arrivalNs(), "request_rejected", identity, latestIteration(), details);
    files.requests.write(RequestRow.rejected(run, reasons, identity, reason, message));
  }

  /** Takes a decision of a step being scheduled, or of the cache reset recorded just before. */
  void decide(long stepId, Decision decision) {
    if (stepId > run.latestPlannedStep()) {
      decisions.add(decision);
    } else {
      life.apply(decision, run.latestNs(), StepFrame.iteration(stepId));
    }
  }

  void cacheReset(String scope, long nowNs) {
    stampNotes(run.at(nowNs));
    events.add(
        nowNs, "cache_reset", null, latestIteration(), json.begin().put("scope", scope).end());
  }

  void planned(PlannedStep step) {
    run.at(step.endNs());
    for (Decision decision : decisions) {
      life.apply(decision, step.endNs(), StepFrame.iteration(step.stepId()));
    }
    decisions.clear();
    steps.planned(step);
    events.planned(step.beginNs());
  }

  void firstToken(long stepId, long number, long nowNs) {
    stampNotes(run.at(nowNs));
    final RequestTimeline request = find(number);
    if (request != null) {
      request.firstToken(nowNs);
      final long iteration = StepFrame.iteration(stepId);
      events.add(nowNs, "first_token_generated", request.identity(), iteration, null);
    }
  }

  void finished(Ending ending, int freedBlocks) {
    final RequestTimeline request = ending.request();
    final long nowNs = run.at(ending.nowNs());
    final long iteration = StepFrame.iteration(ending.stepId());
    stampNotes(nowNs);
    applyDecisionsOn(request, nowNs, iteration);
    life.end(request, nowNs, iteration, ending.reason());
    life.freed(request, freedBlocks, nowNs, iteration);
    run.requests().remove(request.identity().number());
    endings.add(ending);
    writeSettledEndings();
  }

  void completed(CompletedStep step) {
    stampNotes(run.at(step.endNs()));
    if (!steps.completed(step)) {
      anomalies.inconsistent();
      return;
    }
    writeSettledEndings();
    steps.writeReady();
  }

  void kvStored(
      long number,
      int firstToken,
      int count,
      long[] contentHashes,
      boolean hasParent,
      long parent) {
    json.begin().put("blocks", count).put("first_token", firstToken);
    if (hasParent) {
      json.putHex("parent", parent);
    }
    final String details = json.putHex("hashes", contentHashes, count).end();
    decisions.add(new Decision.Note(run.requests().get(number), "kv_block_stored", 0, details));
  }

  void kvRemoved(long contentHash) {
    final String details = json.begin().putHex("hash", contentHash).end();
    decisions.add(new Decision.Note(null, "kv_block_removed", 1, details));
  }

  void kvMoved(KvTransferRecord moved) {
    run.at(moved.atNs());
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
    final String type = "kv_transfer_" + moved.stage();
    events.add(moved.atNs(), type, identityOf(moved.requestNumber()), latestIteration(), details);
    steps.kvMoves(moved.stepId(), moved.stage());
  }

  void scored(long number, double score) {
    final RequestTimeline request = find(number);
    if (request != null) {
      final String details = json.begin().put("score", score).end();
      decisions.add(new Decision.Note(request, "request_scored", 0, details));
    }
  }

  /** What the server saw, often reported later and by a request that the engine no longer has. */
  void journey(
      String requestId, String stage, long atNs, @Nullable String reason, @Nullable String error) {
    final RequestIdentity identity = RequestIdentity.ofStranger(requestId, cell(requestId), atNs);
    final String details =
        reason == null && error == null
            ? null
            : json.begin().put("reason", reason).put("error", error).end();
    events.add(atNs, "api_" + stage, identity, latestIteration(), details);
  }

  void kvCleared() {
    final Decision cleared = new Decision.Note(null, "kv_cache_cleared", 0, null);
    life.apply(cleared, run.latestNs(), latestIteration());
  }

  void dropped(long records) {
    anomalies.dropped(records);
    run.requests().inOrder().forEach(RequestTimeline::distrust);
    final String details = json.begin().put("records", records).end();
    events.add(run.latestNs(), "records_dropped", null, latestIteration(), details);
  }

  void ended(long nowNs) {
    stampNotes(run.at(nowNs));
    endedCleanly = true;
    events.add(nowNs, "run_ended", null, latestIteration(), null);
  }

  boolean endedCleanly() {
    return endedCleanly;
  }

  /** No more records: writes what waited for some, and the requests still alive. */
  void close() {
    decisions.clear(); // their plan is missing, so they have no instant
    while (!endings.isEmpty()) {
      write(endings.removeFirst());
    }
    steps.writeAll();
    for (RequestTimeline request : run.requests().inOrder()) {
      if (!request.isValid(ABSENT)) {
        anomalies.timingViolation();
      }
      files.requests.write(RequestRow.unfinished(run, reasons, request));
    }
  }

  private long latestIteration() {
    return StepFrame.iteration(run.latestPlannedStep());
  }

  /** Notes have no instant: outside scheduling they get that of the record after them. */
  private void stampNotes(long nowNs) {
    if (decisions.isEmpty() || !decisions.stream().allMatch(Decision.Note.class::isInstance)) {
      return;
    }
    for (Decision note : decisions) {
      life.apply(note, nowNs, latestIteration());
    }
    decisions.clear();
  }

  /** A request that ends inside scheduling takes its decisions with it. */
  private void applyDecisionsOn(RequestTimeline request, long nowNs, long iteration) {
    if (decisions.isEmpty()) {
      return;
    }
    for (Decision decision : List.copyOf(decisions)) {
      if (decision.request() == request) {
        life.apply(decision, nowNs, iteration);
      }
    }
    decisions.removeIf(decision -> decision.request() == request);
  }

  private void writeSettledEndings() {
    Ending first = endings.peekFirst();
    while (first != null && steps.isSettled(first.stepId())) {
      write(endings.removeFirst());
      first = endings.peekFirst();
    }
  }

  private void write(Ending ending) {
    final RequestTimeline request = ending.request();
    if (!request.isValid(ending.nowNs())) {
      anomalies.timingViolation();
    }
    steps.ended(ending);
    final RequestRow row = RequestRow.ended(run, reasons, ending);
    final String details =
        json.begin()
            .put("finish_reason", ending.reason())
            .put("stop_token_id", row.stopTokenId())
            .put("output_tokens", row.outputTokens())
            .put("cause", ending.cause())
            .end();
    final long iteration = StepFrame.iteration(ending.stepId());
    events.add(ending.nowNs(), "request_completed", request.identity(), iteration, details);
    files.requests.write(row);
  }
}
