package dev.headway.probes.csv;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.JournalVisitor;
import dev.headway.events.record.JournalVisitor.AdmittedRequest;
import dev.headway.events.record.JournalVisitor.FinishedRequest;
import dev.headway.events.record.JournalVisitor.RunHeader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Records of a journal made by hand, played to a visitor as often as wanted. */
public final class EventScript {

  private final List<Consumer<JournalVisitor>> records = new ArrayList<>();

  /** A script whose run was recorded in full under the FCFS policy. */
  public static EventScript full() {
    return new EventScript().run("full", Map.of("queuePolicy", "FCFS"));
  }

  public EventScript run(String level, Map<String, String> config) {
    return run(level, config, true, 20);
  }

  /** A run in real time, whose anchor may be wrong by {@code anchorErrorNs}. */
  public static EventScript inRealTime(long anchorErrorNs) {
    return new EventScript().run("full", Map.of(), false, anchorErrorNs);
  }

  private EventScript run(
      String level, Map<String, String> config, boolean virtualTime, long anchorErrorNs) {
    final Map<String, String> ordered = new LinkedHashMap<>(config);
    final RunHeader header =
        new RunHeader(
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
            Map.of("model", "toy"));
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
                new JournalVisitor.QueuedRequest(
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
    return add(visitor -> visitor.onRejected(id, arrivalNs, reason, message, 7, 100, 0, null));
  }

  EventScript scored(long stepId, long number, double score) {
    return add(visitor -> visitor.onScored(stepId, number, score));
  }

  EventScript journey(String id, String stage, long atNs) {
    return add(visitor -> visitor.onJourney(id, stage, atNs, null, null));
  }

  public EventScript admitted(long stepId, long number, int cachedTokens) {
    return add(
        visitor ->
            visitor.onAdmitted(new AdmittedRequest(stepId, number, "new", cachedTokens, 0, 0)));
  }

  /** Of {@code cachedTokens}, {@code hostCachedTokens} were loaded from host memory. */
  public EventScript admittedFromHost(
      long stepId, long number, int cachedTokens, int hostCachedTokens) {
    return add(
        visitor ->
            visitor.onAdmitted(
                new AdmittedRequest(stepId, number, "new", cachedTokens, hostCachedTokens, 0)));
  }

  public EventScript resumed(long stepId, long number, int cachedTokens, int lostTokens) {
    return add(
        visitor ->
            visitor.onAdmitted(
                new AdmittedRequest(stepId, number, "resumed", cachedTokens, 0, lostTokens)));
  }

  public EventScript blocked(
      long stepId, long number, String reason, long blocker, int needed, int free) {
    return add(visitor -> visitor.onBlocked(stepId, number, reason, blocker, needed, free));
  }

  EventScript unblocked(long stepId, long number) {
    return add(visitor -> visitor.onUnblocked(stepId, number));
  }

  public EventScript closed(long stepId, String reason, long blocker) {
    return add(visitor -> visitor.onAdmissionsClosed(stepId, reason, blocker));
  }

  public EventScript preempted(
      long stepId, long number, String cause, long beneficiary, int lostTokens, int freedBlocks) {
    return add(
        visitor ->
            visitor.onPreempted(stepId, number, cause, beneficiary, lostTokens, freedBlocks));
  }

  EventScript cacheReset(String scope, long nowNs) {
    return add(visitor -> visitor.onCacheReset(scope, nowNs));
  }

  public EventScript planned(StepScript step) {
    return add(visitor -> visitor.onPlanned(step.plan()));
  }

  public EventScript firstToken(long stepId, long number, long nowNs) {
    return add(visitor -> visitor.onFirstToken(stepId, number, nowNs));
  }

  public EventScript finished(
      long stepId, long number, String reason, int freedBlocks, long nowNs) {
    final FinishedRequest finished =
        new FinishedRequest(stepId, number, reason, -1, null, -1, freedBlocks, nowNs);
    return add(visitor -> visitor.onFinished(finished));
  }

  public EventScript completed(StepScript step) {
    return add(visitor -> visitor.onStepCompleted(step.completion()));
  }

  EventScript kvStored(long number, long... hashes) {
    return add(visitor -> visitor.onKvStored(number, 0, hashes.length, hashes, false, 0, 0));
  }

  EventScript kvRemoved(long hash) {
    return add(visitor -> visitor.onKvRemoved(hash, 0));
  }

  EventScript kvCleared() {
    return add(JournalVisitor::onKvCleared);
  }

  public EventScript dropped(long count) {
    return add(visitor -> visitor.onDropped(count));
  }

  public EventScript runEnded(long nowNs) {
    return add(visitor -> visitor.onRunEnded(nowNs));
  }

  public int size() {
    return records.size();
  }

  public void playTo(JournalVisitor visitor) {
    play(visitor, 0, records.size());
  }

  /** Plays the records in [from, to). */
  public void play(JournalVisitor visitor, int from, int to) {
    records.subList(from, to).forEach(record -> record.accept(visitor));
  }

  /** Plays the start record and, of the others, all but about one in {@code oneIn}. */
  public void playWithGaps(JournalVisitor visitor, Random random, int oneIn) {
    records.get(0).accept(visitor);
    for (Consumer<JournalVisitor> record : records.subList(1, records.size())) {
      if (random.nextInt(oneIn) == 0) {
        visitor.onDropped(1);
      } else {
        record.accept(visitor);
      }
    }
  }

  EventScript add(Consumer<JournalVisitor> record) {
    records.add(record);
    return this;
  }
}
