package dev.headway.faultsim;

import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.CacheResetEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.FirstTokenEvent;
import dev.headway.api.probe.LimitsChangedEvent;
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
import dev.headway.events.record.LimitsChangedRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RecordVisitor;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.UnblockedRecord;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;

/**
 * A run as facts, which are the same from its events and from its journal: what a record says when
 * it is made of an event must be what it says when it was written and read.
 */
final class Told {

  private static final long[] NO_HASHES = {};

  private final List<Object> facts = new ArrayList<>();

  /** Figures in a row: equal if they are, where an array is equal to itself only. */
  private record Row(LongBuffer figures) {

    static Row of(long[] figures, int count) {
      return new Row(LongBuffer.wrap(Arrays.copyOf(figures, count)));
    }

    /** Three figures for each entry of a plan. */
    static Row ofEntries(
        int count,
        IntToLongFunction number,
        IntUnaryOperator computed,
        IntUnaryOperator scheduled) {
      final LongBuffer row = LongBuffer.allocate(3 * count);
      for (int entry = 0; entry < count; entry++) {
        row.put(number.applyAsLong(entry));
        row.put(computed.applyAsInt(entry));
        row.put(scheduled.applyAsInt(entry));
      }
      return new Row(row.flip());
    }

    @Override
    public String toString() {
      return Arrays.toString(figures.array());
    }
  }

  private record Stored(
      long requestNumber, int group, int firstToken, boolean hasParent, long parent, Row hashes) {}

  private record Removed(int group, long contentHash) {}

  /** Number, computed and scheduled tokens of each entry are in the row. */
  private record Planned(long step, long beginNs, int running, int waiting, Row entries) {}

  private record Completed(long step, long outputNs, long endNs, int produced) {}

  private void add(Object fact) {
    facts.add(fact);
  }

  /** In one record: it takes more blocks than a request of the simulation has. */
  private void stored(KvStoredRecord stored) {
    add(
        new Stored(
            stored.requestNumber(),
            stored.group(),
            stored.firstToken(),
            stored.hasParent(),
            stored.parent(),
            Row.of(stored.contentHashes(), stored.count())));
  }

  /** Tells from the events of an engine. */
  static final class ByEvents implements Probe {

    private final Told told = new Told();

    List<Object> facts() {
      return told.facts;
    }

    @Override
    public void onQueued(QueuedEvent event) {
      told.add(QueuedRecord.of(event));
    }

    @Override
    public void onRejected(RejectedEvent event) {
      told.add(RejectedRecord.of(event));
    }

    @Override
    public void onAdmitted(AdmittedEvent event) {
      told.add(AdmittedRecord.of(event));
    }

    @Override
    public void onBlocked(BlockedEvent event) {
      told.add(BlockedRecord.of(event));
    }

    @Override
    public void onUnblocked(UnblockedEvent event) {
      told.add(UnblockedRecord.of(event));
    }

    @Override
    public void onAdmissionsClosed(AdmissionsClosedEvent event) {
      told.add(AdmissionsClosedRecord.of(event));
    }

    @Override
    public void onPreempted(PreemptedEvent event) {
      told.add(PreemptedRecord.of(event));
    }

    @Override
    public void onCacheReset(CacheResetEvent event) {
      told.add(CacheResetRecord.of(event));
    }

    @Override
    public void onLimitsChanged(LimitsChangedEvent event) {
      told.add(LimitsChangedRecord.of(event));
    }

    @Override
    public void onFirstToken(FirstTokenEvent event) {
      told.add(FirstTokenRecord.of(event));
    }

    @Override
    public void onFinished(FinishedEvent event) {
      told.add(FinishedRecord.of(event));
    }

    @Override
    public void onKvStored(KvBlocksStored blocks) {
      told.stored(KvStoredRecord.of(blocks, NO_HASHES));
    }

    @Override
    public void onKvRemoved(KvBlockRemoved event) {
      told.add(new Removed(event.group(), event.contentHash()));
    }

    @Override
    public void onPlanned(PlannedEvent event) {
      final StepPlan plan = event.plan();
      told.add(
          new Planned(
              plan.stepId(),
              plan.beginNs(),
              event.runningCount(),
              event.waitingCount(),
              Row.ofEntries(
                  plan.size(),
                  entry -> plan.request(entry).number(),
                  plan::computedTokens,
                  plan::scheduledTokens)));
    }

    @Override
    public void onStepCompleted(StepCompletedEvent event) {
      final StepPlan plan = event.plan();
      int produced = 0;
      for (int entry = 0; entry < plan.size(); entry++) {
        produced += plan.producedTokens(entry);
      }
      told.add(new Completed(plan.stepId(), event.outputNs(), event.endNs(), produced));
    }
  }

  /** Tells from the records of a journal. */
  static final class ByRecords implements RecordVisitor {

    private final Told told = new Told();

    List<Object> facts() {
      return told.facts;
    }

    @Override
    public void onQueued(QueuedRecord queued) {
      told.add(queued);
    }

    @Override
    public void onRejected(RejectedRecord rejected) {
      told.add(rejected);
    }

    @Override
    public void onAdmitted(AdmittedRecord admitted) {
      told.add(admitted);
    }

    @Override
    public void onBlocked(BlockedRecord blocked) {
      told.add(blocked);
    }

    @Override
    public void onUnblocked(UnblockedRecord unblocked) {
      told.add(unblocked);
    }

    @Override
    public void onAdmissionsClosed(AdmissionsClosedRecord closed) {
      told.add(closed);
    }

    @Override
    public void onPreempted(PreemptedRecord preempted) {
      told.add(preempted);
    }

    @Override
    public void onCacheReset(CacheResetRecord reset) {
      told.add(reset);
    }

    @Override
    public void onLimitsChanged(LimitsChangedRecord changed) {
      told.add(changed);
    }

    @Override
    public void onFirstToken(FirstTokenRecord firstToken) {
      told.add(firstToken);
    }

    @Override
    public void onFinished(FinishedRecord finished) {
      told.add(finished);
    }

    @Override
    public void onKvStored(KvStoredRecord stored) {
      told.stored(stored);
    }

    @Override
    public void onKvRemoved(KvRemovedRecord removed) {
      told.add(new Removed(removed.group(), removed.contentHash()));
    }

    @Override
    public void onPlanned(PlannedStep step) {
      told.add(
          new Planned(
              step.stepId(),
              step.beginNs(),
              step.runningCount(),
              step.waitingCount(),
              Row.ofEntries(
                  step.batchSize(), step::number, step::computedTokens, step::scheduledTokens)));
    }

    @Override
    public void onStepCompleted(CompletedStep step) {
      told.add(new Completed(step.stepId(), step.outputNs(), step.endNs(), step.producedTotal()));
    }
  }
}
