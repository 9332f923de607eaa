package dev.headway.probes.chronicle;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.step.FirstOfKind;
import dev.headway.events.record.AdmissionsClosedRecord;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.CacheResetRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.DroppedRecord;
import dev.headway.events.record.EntryPhase;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.KvRemovedRecord;
import dev.headway.events.record.KvStoredRecord;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.LimitsChangedRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RecordVisitor;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.RunEndedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.events.record.ScoredRecord;
import dev.headway.events.record.UnblockedRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;

/** Puts every call into a line of text. */
public final class TellingVisitor implements RecordVisitor {

  private final List<String> told = new ArrayList<>();

  public List<String> told() {
    return told;
  }

  @Override
  public void onRunStarted(RunStartedRecord run) {
    told.add("started " + run);
  }

  @Override
  public void onQueued(QueuedRecord request) {
    tell(
        "queued",
        request.requestNumber(),
        request.requestId(),
        request.arrivalNs(),
        request.queuedNs(),
        request.promptTokens(),
        request.maxTokens(),
        request.minTokens(),
        request.priority(),
        request.tenant(),
        request.ttftTargetNs(),
        request.timeoutNs(),
        request.adapter(),
        request.traceParent());
  }

  @Override
  public void onRejected(RejectedRecord record) {
    tell(
        "rejected",
        record.requestId(),
        record.atNs(),
        record.reason(),
        record.message(),
        record.promptTokens(),
        record.maxTokens(),
        record.priority(),
        record.tenant());
  }

  @Override
  public void onAdmitted(AdmittedRecord admitted) {
    tell(
        "admitted",
        admitted.stepId(),
        admitted.requestNumber(),
        admitted.kind(),
        admitted.cachedTokens(),
        admitted.hostCachedTokens(),
        admitted.evictedTokens(),
        admitted.prefixHash() == 0
            ? ""
            : "external=%d prefix=%x".formatted(admitted.externalTokens(), admitted.prefixHash()));
  }

  @Override
  public void onBlocked(BlockedRecord record) {
    tell(
        "blocked",
        record.stepId(),
        record.requestNumber(),
        record.reason(),
        record.blockerNumber(),
        record.needed(),
        record.free(),
        record.atNs() == ABSENT ? "" : "since " + record.atNs());
  }

  @Override
  public void onUnblocked(UnblockedRecord record) {
    tell(
        "unblocked",
        record.stepId(),
        record.requestNumber(),
        record.atNs() == ABSENT ? "" : "at " + record.atNs(),
        record.atNs() == ABSENT || record.promptTokens() == ABSENT
            ? ""
            : "with " + record.promptTokens());
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedRecord record) {
    tell("closed", record.stepId(), record.reason(), record.blockerNumber());
  }

  @Override
  public void onPreempted(PreemptedRecord record) {
    tell(
        "preempted",
        record.stepId(),
        record.requestNumber(),
        record.cause(),
        record.beneficiaryNumber(),
        record.lostTokens(),
        record.freedBlocks());
  }

  @Override
  public void onLimitsChanged(LimitsChangedRecord record) {
    tell("limits", record);
  }

  @Override
  public void onCacheReset(CacheResetRecord record) {
    tell("reset", record.scope(), record.atNs());
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
              + (step.phase(entry) == EntryPhase.DECODE ? "d" : "")
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
  public void onFirstToken(FirstTokenRecord firstToken) {
    tell("first", firstToken.stepId(), firstToken.requestNumber(), firstToken.atNs());
  }

  @Override
  public void onFinished(FinishedRecord request) {
    tell(
        "finished",
        request.stepId(),
        request.requestNumber(),
        request.reason(),
        request.stopTokenId(),
        request.cause(),
        request.outputTokens(),
        request.freedBlocks(),
        request.atNs());
  }

  @Override
  public void onScored(ScoredRecord record) {
    tell("scored", record.stepId(), record.requestNumber(), record.score());
  }

  @Override
  public void onJourney(JourneyRecord record) {
    tell(
        "journey",
        record.requestId(),
        record.stage(),
        record.atNs(),
        record.reason(),
        record.error());
  }

  @Override
  public void onKvTransfer(KvTransferRecord moved) {
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
        step.prepareNs(),
        step.forwardNs(),
        step.sampleNs(),
        step.deviceMemoryUsedBytes(),
        step.deviceUtilizationPermille(),
        step.producedTotal(),
        step.hasEntries(),
        step.failure(),
        step.drafts(),
        step.draftTokens(),
        step.acceptedTokens(),
        measured(step.measuredScheduleNs()),
        step.firstOfKind() == FirstOfKind.UNKNOWN ? "" : step.firstOfKind(),
        step.activatedExperts() == ABSENT ? "" : "experts=" + step.activatedExperts());
  }

  /** Empty for what most steps do not have, and older schemas never. */
  private static String measured(long scheduleNs) {
    return scheduleNs == ABSENT ? "" : "measured=" + scheduleNs;
  }

  @Override
  public void onKvStored(KvStoredRecord record) {
    tell(
        "stored",
        record.requestNumber(),
        record.firstToken(),
        Arrays.toString(Arrays.copyOf(record.contentHashes(), record.count())),
        record.hasParent(),
        record.parent(),
        record.group());
  }

  @Override
  public void onKvRemoved(KvRemovedRecord record) {
    tell("removed", record.contentHash(), record.group());
  }

  @Override
  public void onKvCleared() {
    tell("cleared");
  }

  @Override
  public void onDropped(DroppedRecord record) {
    tell("dropped", record.records());
  }

  @Override
  public void onRunEnded(RunEndedRecord end) {
    tell("ended", end.atNs());
  }

  private void tell(Object... words) {
    final StringJoiner line = new StringJoiner(" ");
    for (Object word : words) {
      if (!"".equals(word)) {
        line.add(String.valueOf(word).replace(String.valueOf(ABSENT), "absent"));
      }
    }
    told.add(line.toString());
  }
}
