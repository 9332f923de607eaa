package dev.headway.faultsim;

import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.FirstTokenEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.step.StepPlan;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.CompletedStep;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RecordVisitor;
import dev.headway.events.record.RejectedRecord;
import java.util.ArrayList;
import java.util.List;

/** A run as lines, which are the same from its events and from the records of them. */
final class Told {

  private final List<String> lines = new ArrayList<>();

  /** The lines so far, in order. */
  List<String> lines() {
    return lines;
  }

  private void queued(long number, String id, long arrivalNs, long queuedNs, int prompt, int most) {
    lines.add(
        "queued " + number + " " + id + " " + arrivalNs + " " + queuedNs + " " + prompt + " "
            + most);
  }

  private void rejected(String id, long atNs, String reason, String message) {
    lines.add("rejected " + id + " " + atNs + " " + reason + " " + message);
  }

  private void admitted(long step, long number, int cached, int ofHost, int evicted) {
    lines.add("admitted " + step + " " + number + " " + cached + " " + ofHost + " " + evicted);
  }

  private void preempted(long step, long number, String cause, int lost, int freed) {
    lines.add("preempted " + step + " " + number + " " + cause + " " + lost + " " + freed);
  }

  private void firstToken(long number, long atNs) {
    lines.add("first token " + number + " " + atNs);
  }

  private void finished(long number, long atNs, String reason, long outputs, int freed) {
    lines.add("finished " + number + " " + atNs + " " + reason + " " + outputs + " " + freed);
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
      final var request = event.request();
      told.queued(
          request.number(),
          request.id(),
          request.arrivalNs(),
          event.atNs(),
          request.promptTokens(),
          request.request().stopRule().maxTokens());
    }

    @Override
    public void onRejected(RejectedEvent event) {
      told.rejected(event.request().id(), event.atNs(), event.reason().label(), event.message());
    }

    @Override
    public void onAdmitted(AdmittedEvent event) {
      told.admitted(
          event.stepId(),
          event.request().number(),
          event.cachedTokens(),
          event.hostCachedTokens(),
          event.evictedTokens());
    }

    @Override
    public void onPreempted(PreemptedEvent event) {
      told.preempted(
          event.stepId(),
          event.request().number(),
          event.cause().label(),
          event.lostTokens(),
          event.freedBlocks());
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
    public void onFirstToken(FirstTokenEvent event) {
      told.firstToken(event.request().number(), event.atNs());
    }

    @Override
    public void onFinished(FinishedEvent event) {
      told.finished(
          event.request().number(),
          event.atNs(),
          event.reason().label(),
          event.request().outputTokens(),
          event.freedBlocks());
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
      told.queued(
          queued.requestNumber(),
          queued.requestId(),
          queued.arrivalNs(),
          queued.queuedNs(),
          queued.promptTokens(),
          queued.maxTokens());
    }

    @Override
    public void onRejected(RejectedRecord rejected) {
      told.rejected(rejected.requestId(), rejected.atNs(), rejected.reason(), rejected.message());
    }

    @Override
    public void onAdmitted(AdmittedRecord admitted) {
      told.admitted(
          admitted.stepId(),
          admitted.requestNumber(),
          admitted.cachedTokens(),
          admitted.hostCachedTokens(),
          admitted.evictedTokens());
    }

    @Override
    public void onPreempted(PreemptedRecord preempted) {
      told.preempted(
          preempted.stepId(),
          preempted.requestNumber(),
          preempted.cause(),
          preempted.lostTokens(),
          preempted.freedBlocks());
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
    public void onFirstToken(FirstTokenRecord firstToken) {
      told.firstToken(firstToken.requestNumber(), firstToken.atNs());
    }

    @Override
    public void onFinished(FinishedRecord finished) {
      told.finished(
          finished.requestNumber(),
          finished.atNs(),
          finished.reason(),
          finished.outputTokens(),
          finished.freedBlocks());
    }

    @Override
    public void onStepCompleted(CompletedStep step) {
      told.completed(step.stepId(), step.outputNs(), step.endNs(), step.producedTotal());
    }
  }
}
