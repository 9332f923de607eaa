package dev.headway.probes.chronicle;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.JournalVisitor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;

/** Puts every call into a line of text. */
public final class TellingVisitor implements JournalVisitor {

  private final List<String> told = new ArrayList<>();

  public List<String> told() {
    return told;
  }

  @Override
  public void onRunStarted(RunHeader run) {
    told.add("started " + run);
  }

  @Override
  public void onQueued(QueuedRequest request) {
    tell(
        "queued",
        request.number(),
        request.requestId(),
        request.arrivalNs(),
        request.queuedNs(),
        request.promptTokens(),
        request.maxTokens(),
        request.minTokens(),
        request.priority(),
        request.tenant(),
        figure(request.ttftTargetNs()),
        figure(request.timeoutNs()),
        request.adapter(),
        request.traceParent());
  }

  @Override
  public void onRejected(
      String requestId,
      long arrivalNs,
      String reason,
      String message,
      int promptTokens,
      int maxTokens,
      int priority,
      String tenant) {
    tell(
        "rejected",
        requestId,
        arrivalNs,
        reason,
        message,
        promptTokens,
        maxTokens,
        priority,
        tenant);
  }

  @Override
  public void onAdmitted(AdmittedRequest admitted) {
    tell(
        "admitted",
        admitted.stepId(),
        admitted.number(),
        admitted.kind(),
        admitted.cachedTokens(),
        admitted.hostCachedTokens(),
        admitted.lostTokens());
  }

  @Override
  public void onBlocked(
      long stepId, long number, String reason, long blockerNumber, int needed, int free) {
    tell("blocked", stepId, number, reason, blockerNumber, needed, free);
  }

  @Override
  public void onUnblocked(long stepId, long number) {
    tell("unblocked", stepId, number);
  }

  @Override
  public void onAdmissionsClosed(long stepId, String reason, long blockerNumber) {
    tell("closed", stepId, reason, blockerNumber);
  }

  @Override
  public void onPreempted(
      long stepId,
      long number,
      String cause,
      long beneficiaryNumber,
      int lostTokens,
      int freedBlocks) {
    tell("preempted", stepId, number, cause, beneficiaryNumber, lostTokens, freedBlocks);
  }

  @Override
  public void onCacheReset(String scope, long nowNs) {
    tell("reset", scope, nowNs);
  }

  @Override
  public void onPlanned(PlannedStep step) {
    final StringJoiner entries = new StringJoiner(" ", "{", "}");
    for (int entry = 0; step.hasEntries() && entry < step.batchSize(); entry++) {
      entries.add(
          step.number(entry)
              + ":"
              + step.computedTokens(entry)
              + "+"
              + step.scheduledTokens(entry)
              + (step.samples(entry) ? "!" : "")
              + "/"
              + step.blockCount(entry)
              + "+"
              + step.newBlocks(entry));
    }
    tell(
        "planned",
        step.stepId(),
        step.beginNs(),
        step.endNs(),
        step.batchSize(),
        step.totalTokens(),
        step.prefillRequests(),
        step.prefillTokens(),
        step.runningCount(),
        step.waitingCount(),
        step.preemptedWaitingCount(),
        step.freeBlocks(),
        step.hasEntries() ? entries : "no entries");
  }

  @Override
  public void onFirstToken(long stepId, long number, long nowNs) {
    tell("first", stepId, number, nowNs);
  }

  @Override
  public void onFinished(FinishedRequest request) {
    tell(
        "finished",
        request.stepId(),
        request.number(),
        request.reason(),
        request.stopTokenId(),
        request.cause(),
        request.outputTokens(),
        request.freedBlocks(),
        request.nowNs());
  }

  @Override
  public void onScored(long stepId, long number, double score) {
    tell("scored", stepId, number, score);
  }

  @Override
  public void onJourney(String requestId, String stage, long atNs, String reason, String error) {
    tell("journey", requestId, stage, atNs, reason, error);
  }

  @Override
  public void onKvTransfer(MovedBlocks moved) {
    tell("moved", moved);
  }

  @Override
  public void onStepCompleted(CompletedStep step) {
    tell(
        "completed",
        step.stepId(),
        step.wasExecuted(),
        step.submitNs(),
        step.outputNs(),
        step.endNs(),
        figure(step.prepareNs()),
        figure(step.forwardNs()),
        figure(step.sampleNs()),
        figure(step.deviceMemoryUsedBytes()),
        figure(step.deviceUtilizationPermille()),
        step.producedTotal(),
        step.hasEntries(),
        step.failure(),
        step.drafts(),
        step.draftTokens(),
        step.acceptedTokens());
  }

  @Override
  public void onKvStored(
      long number,
      int firstToken,
      int count,
      long[] contentHashes,
      boolean hasParent,
      long parent,
      int group) {
    tell(
        "stored",
        number,
        firstToken,
        Arrays.toString(Arrays.copyOf(contentHashes, count)),
        hasParent,
        parent,
        group);
  }

  @Override
  public void onKvRemoved(long contentHash, int group) {
    tell("removed", contentHash, group);
  }

  @Override
  public void onKvCleared() {
    tell("cleared");
  }

  @Override
  public void onDropped(long records) {
    tell("dropped", records);
  }

  @Override
  public void onRunEnded(long nowNs) {
    tell("ended", nowNs);
  }

  private static Object figure(long value) {
    return value == ABSENT ? "absent" : value;
  }

  private void tell(Object... words) {
    final StringJoiner line = new StringJoiner(" ");
    for (Object word : words) {
      line.add(String.valueOf(word));
    }
    told.add(line.toString());
  }
}
