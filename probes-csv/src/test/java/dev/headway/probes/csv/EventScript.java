package dev.headway.probes.csv;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.AdmissionsClosedRecord;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.CacheResetRecord;
import dev.headway.events.record.DroppedRecord;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.KvRemovedRecord;
import dev.headway.events.record.KvStoredRecord;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RecordVisitor;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.RunEndedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.events.record.ScoredRecord;
import dev.headway.events.record.UnblockedRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Records of a journal made by hand, played to a visitor as often as wanted. */
public final class EventScript {

  private final List<Consumer<RecordVisitor>> records = new ArrayList<>();

  /** A script whose run was recorded in full under the FCFS policy. */
  public static EventScript full() {
    return new EventScript().run("full", Map.of("queuePolicy", "FCFS"));
  }

  public EventScript run(String level, Map<String, String> config) {
    return run(level, config, Map.of("model", "toy"));
  }

  EventScript run(String level, Map<String, String> config, Map<String, String> attributes) {
    return run(level, config, attributes, true, 20);
  }

  /** A run in real time, whose anchor may be wrong by {@code anchorErrorNs}. */
  public static EventScript inRealTime(long anchorErrorNs) {
    return new EventScript().run("full", Map.of(), Map.of("model", "toy"), false, anchorErrorNs);
  }

  private EventScript run(
      String level,
      Map<String, String> config,
      Map<String, String> attributes,
      boolean virtualTime,
      long anchorErrorNs) {
    final Map<String, String> ordered = new LinkedHashMap<>(config);
    final RunStartedRecord header =
        new RunStartedRecord(
            1,
            "0.1.0",
            level,
            virtualTime,
            1_700_000_000_000_000_000L,
            5,
            anchorErrorNs,
            16,
            101,
            2_048,
            ordered,
            attributes);
    return add(visitor -> visitor.onRunStarted(header));
  }

  public EventScript queued(
      long number, String id, long arrivalNs, long queuedNs, int promptTokens) {
    return queued(number, id, arrivalNs, queuedNs, promptTokens, 0, null);
  }

  public EventScript queued(
      long number,
      String id,
      long arrivalNs,
      long queuedNs,
      int promptTokens,
      int priority,
      @Nullable String tenant) {
    return queued(number, id, arrivalNs, queuedNs, promptTokens, priority, tenant, ABSENT);
  }

  /** A request that wants its first token within {@code ttftTargetNs}. */
  public EventScript queued(long number, String id, long arrivalNs, long ttftTargetNs) {
    return queued(number, id, arrivalNs, arrivalNs, 8, 0, null, ttftTargetNs);
  }

  private EventScript queued(
      long number,
      String id,
      long arrivalNs,
      long queuedNs,
      int promptTokens,
      int priority,
      @Nullable String tenant,
      long ttftTargetNs) {
    return add(
        visitor ->
            visitor.onQueued(
                new QueuedRecord(
                    number,
                    id,
                    arrivalNs,
                    queuedNs,
                    promptTokens,
                    100,
                    0,
                    priority,
                    tenant,
                    ttftTargetNs,
                    ABSENT,
                    null,
                    null)));
  }

  public EventScript rejected(String id, long arrivalNs, String reason, String message) {
    return add(
        visitor ->
            visitor.onRejected(
                new RejectedRecord(id, arrivalNs, reason, message, 7, 100, 0, null)));
  }

  EventScript scored(long stepId, long number, double score) {
    return add(visitor -> visitor.onScored(new ScoredRecord(stepId, number, score)));
  }

  EventScript journey(String id, String stage, long atNs) {
    return add(visitor -> visitor.onJourney(new JourneyRecord(id, stage, atNs, null, null)));
  }

  public EventScript admitted(long stepId, long number, int cachedTokens) {
    return add(
        visitor ->
            visitor.onAdmitted(new AdmittedRecord(stepId, number, "new", cachedTokens, 0, 0)));
  }

  /** Of {@code cachedTokens}, {@code hostCachedTokens} were loaded from host memory. */
  public EventScript admittedFromHost(
      long stepId, long number, int cachedTokens, int hostCachedTokens) {
    return add(
        visitor ->
            visitor.onAdmitted(
                new AdmittedRecord(stepId, number, "new", cachedTokens, hostCachedTokens, 0)));
  }

  public EventScript resumed(long stepId, long number, int cachedTokens, int lostTokens) {
    return add(
        visitor ->
            visitor.onAdmitted(
                new AdmittedRecord(stepId, number, "resumed", cachedTokens, 0, lostTokens)));
  }

  public EventScript blocked(
      long stepId, long number, String reason, long blocker, int needed, int free) {
    return add(
        visitor ->
            visitor.onBlocked(new BlockedRecord(stepId, number, reason, blocker, needed, free)));
  }

  EventScript unblocked(long stepId, long number) {
    return add(visitor -> visitor.onUnblocked(new UnblockedRecord(stepId, number)));
  }

  public EventScript closed(long stepId, String reason, long blocker) {
    return add(
        visitor -> visitor.onAdmissionsClosed(new AdmissionsClosedRecord(stepId, reason, blocker)));
  }

  public EventScript preempted(
      long stepId, long number, String cause, long beneficiary, int lostTokens, int freedBlocks) {
    return add(
        visitor ->
            visitor.onPreempted(
                new PreemptedRecord(
                    stepId, number, cause, beneficiary, lostTokens, freedBlocks, 0)));
  }

  EventScript cacheReset(String scope, long nowNs) {
    return add(visitor -> visitor.onCacheReset(new CacheResetRecord(scope, nowNs)));
  }

  public EventScript planned(StepScript step) {
    return add(visitor -> visitor.onPlanned(step.plan()));
  }

  public EventScript firstToken(long stepId, long number, long nowNs) {
    return add(visitor -> visitor.onFirstToken(new FirstTokenRecord(stepId, number, nowNs)));
  }

  public EventScript finished(
      long stepId, long number, String reason, int freedBlocks, long nowNs) {
    final FinishedRecord finished =
        new FinishedRecord(stepId, number, reason, ABSENT, null, ABSENT, freedBlocks, nowNs);
    return add(visitor -> visitor.onFinished(finished));
  }

  /** The same of a writer that says how many tokens there were. */
  EventScript finishedWith(
      long stepId, long number, String reason, long outputTokens, int freedBlocks, long nowNs) {
    final FinishedRecord finished =
        new FinishedRecord(stepId, number, reason, ABSENT, null, outputTokens, freedBlocks, nowNs);
    return add(visitor -> visitor.onFinished(finished));
  }

  public EventScript completed(StepScript step) {
    return add(visitor -> visitor.onStepCompleted(step.completion()));
  }

  EventScript kvStored(long number, long... hashes) {
    return add(
        visitor ->
            visitor.onKvStored(new KvStoredRecord(number, 0, hashes.length, hashes, false, 0, 0)));
  }

  EventScript kvRemoved(long hash) {
    return add(visitor -> visitor.onKvRemoved(new KvRemovedRecord(hash, 0)));
  }

  EventScript kvCleared() {
    return add(RecordVisitor::onKvCleared);
  }

  public EventScript dropped(long count) {
    return add(visitor -> visitor.onDropped(new DroppedRecord(count)));
  }

  public EventScript runEnded(long nowNs) {
    return add(visitor -> visitor.onRunEnded(new RunEndedRecord(nowNs)));
  }

  public int size() {
    return records.size();
  }

  public void playTo(RecordVisitor visitor) {
    play(visitor, 0, records.size());
  }

  /** Plays the records in [from, to). */
  public void play(RecordVisitor visitor, int from, int to) {
    records.subList(from, to).forEach(record -> record.accept(visitor));
  }

  /** Plays the start record and, of the others, all but about one in {@code oneIn}. */
  public void playWithGaps(RecordVisitor visitor, Random random, int oneIn) {
    records.get(0).accept(visitor);
    for (Consumer<RecordVisitor> record : records.subList(1, records.size())) {
      if (random.nextInt(oneIn) == 0) {
        visitor.onDropped(new DroppedRecord(1));
      } else {
        record.accept(visitor);
      }
    }
  }

  public EventScript add(Consumer<RecordVisitor> record) {
    records.add(record);
    return this;
  }
}
