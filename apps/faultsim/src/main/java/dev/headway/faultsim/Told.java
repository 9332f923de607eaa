package dev.headway.faultsim;

import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.CacheResetEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.FirstTokenEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.probe.UnblockedEvent;
import dev.headway.api.step.StepPlan;
import dev.headway.events.record.AdmissionsClosedRecord;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.CacheResetRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.KvRemovedRecord;
import dev.headway.events.record.KvStoredRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RecordVisitor;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.UnblockedRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A run as lines, which are the same from its events and from its journal: what a record says when
 * it is made of an event must be what it says when it was written and read.
 */
final class Told {

  private static final long[] NO_HASHES = {};

  private final List<String> lines = new ArrayList<>();

  private void record(Object record) {
    lines.add(record.toString());
  }

  /** In one record: it takes more blocks than a request of the simulation has. */
  private void stored(KvStoredRecord stored) {
    final String hashes = Arrays.toString(Arrays.copyOf(stored.contentHashes(), stored.count()));
    lines.add(
        "stored "
            + stored.requestNumber()
            + " "
            + stored.group()
            + " "
            + stored.firstToken()
            + " "
            + stored.hasParent()
            + " "
            + stored.parent()
            + " "
            + hashes);
  }

  private void removed(int group, long contentHash) {
    lines.add("removed " + group + " " + contentHash);
  }

  private void planned(long step, long beginNs, int running, int waiting, String entries) {
    lines.add("planned " + step + " " + beginNs + " " + running + " " + waiting + entries);
  }

  private void completed(long step, long outputNs, long endNs, int produced) {
    lines.add("completed " + step + " " + outputNs + " " + endNs + " " + produced);
  }

  /** Tells from the events of an engine. */
  static final class ByEvents implements Probe {

    private final Told told = new Told();

    List<String> lines() {
      return told.lines;
    }

    @Override
    public void onQueued(QueuedEvent event) {
      told.record(QueuedRecord.of(event));
    }

    @Override
    public void onRejected(RejectedEvent event) {
      told.record(RejectedRecord.of(event));
    }

    @Override
    public void onAdmitted(AdmittedEvent event) {
      told.record(AdmittedRecord.of(event));
    }

    @Override
    public void onBlocked(BlockedEvent event) {
      told.record(BlockedRecord.of(event));
    }

    @Override
    public void onUnblocked(UnblockedEvent event) {
      told.record(UnblockedRecord.of(event));
    }

    @Override
    public void onAdmissionsClosed(AdmissionsClosedEvent event) {
      told.record(AdmissionsClosedRecord.of(event));
    }

    @Override
    public void onPreempted(PreemptedEvent event) {
      told.record(PreemptedRecord.of(event));
    }

    @Override
    public void onCacheReset(CacheResetEvent event) {
      told.record(CacheResetRecord.of(event));
    }

    @Override
    public void onFirstToken(FirstTokenEvent event) {
      told.record(FirstTokenRecord.of(event));
    }

    @Override
    public void onFinished(FinishedEvent event) {
      told.record(FinishedRecord.of(event));
    }

    @Override
    public void onKvStored(KvBlocksStored blocks) {
      told.stored(KvStoredRecord.of(blocks, NO_HASHES));
    }

    @Override
    public void onKvRemoved(KvBlockRemoved event) {
      told.removed(event.group(), event.contentHash());
    }

    @Override
    public void onPlanned(PlannedEvent event) {
      final StepPlan plan = event.plan();
      final StringBuilder entries = new StringBuilder();
      for (int entry = 0; entry < plan.size(); entry++) {
        entries.append(' ').append(plan.request(entry).number());
        entries.append(':').append(plan.computedTokens(entry));
        entries.append('+').append(plan.scheduledTokens(entry));
      }
      told.planned(
          plan.stepId(),
          plan.beginNs(),
          event.runningCount(),
          event.waitingCount(),
          entries.toString());
    }

    @Override
    public void onStepCompleted(StepCompletedEvent event) {
      final StepPlan plan = event.plan();
      int produced = 0;
      for (int entry = 0; entry < plan.size(); entry++) {
        produced += plan.producedTokens(entry);
      }
      told.completed(plan.stepId(), event.outputNs(), event.endNs(), produced);
    }
  }

  /** Tells from the records of a journal. */
  static final class ByRecords implements RecordVisitor {

    private final Told told = new Told();

    List<String> lines() {
      return told.lines;
    }

    @Override
    public void onQueued(QueuedRecord queued) {
      told.record(queued);
    }

    @Override
    public void onRejected(RejectedRecord rejected) {
      told.record(rejected);
    }

    @Override
    public void onAdmitted(AdmittedRecord admitted) {
      told.record(admitted);
    }

    @Override
    public void onBlocked(BlockedRecord blocked) {
      told.record(blocked);
    }

    @Override
    public void onUnblocked(UnblockedRecord unblocked) {
      told.record(unblocked);
    }

    @Override
    public void onAdmissionsClosed(AdmissionsClosedRecord closed) {
      told.record(closed);
    }

    @Override
    public void onPreempted(PreemptedRecord preempted) {
      told.record(preempted);
    }

    @Override
    public void onCacheReset(CacheResetRecord reset) {
      told.record(reset);
    }

    @Override
    public void onFirstToken(FirstTokenRecord firstToken) {
      told.record(firstToken);
    }

    @Override
    public void onFinished(FinishedRecord finished) {
      told.record(finished);
    }

    @Override
    public void onKvStored(KvStoredRecord stored) {
      told.stored(stored);
    }

    @Override
    public void onKvRemoved(KvRemovedRecord removed) {
      told.removed(removed.group(), removed.contentHash());
    }

    @Override
    public void onPlanned(PlannedStep step) {
      final StringBuilder entries = new StringBuilder();
      for (int entry = 0; entry < step.batchSize(); entry++) {
        entries.append(' ').append(step.number(entry));
        entries.append(':').append(step.computedTokens(entry));
        entries.append('+').append(step.scheduledTokens(entry));
      }
      told.planned(
          step.stepId(),
          step.beginNs(),
          step.runningCount(),
          step.waitingCount(),
          entries.toString());
    }

    @Override
    public void onStepCompleted(CompletedStep step) {
      told.completed(step.stepId(), step.outputNs(), step.endNs(), step.producedTotal());
    }
  }
}
