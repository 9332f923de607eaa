package dev.headway.probes.chronicle;

import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.Rejection;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.StepResult;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import dev.headway.probes.chronicle.record.AdmissionsClosedRecord;
import dev.headway.probes.chronicle.record.AdmittedRecord;
import dev.headway.probes.chronicle.record.BlockedRecord;
import dev.headway.probes.chronicle.record.CacheResetRecord;
import dev.headway.probes.chronicle.record.FinishedRecord;
import dev.headway.probes.chronicle.record.FirstTokenRecord;
import dev.headway.probes.chronicle.record.JourneyRecord;
import dev.headway.probes.chronicle.record.KvClearedRecord;
import dev.headway.probes.chronicle.record.KvRemovedRecord;
import dev.headway.probes.chronicle.record.KvStoredRecord;
import dev.headway.probes.chronicle.record.KvTransferRecord;
import dev.headway.probes.chronicle.record.PlannedRecord;
import dev.headway.probes.chronicle.record.PreemptedRecord;
import dev.headway.probes.chronicle.record.QueuedRecord;
import dev.headway.probes.chronicle.record.RecordBuffer;
import dev.headway.probes.chronicle.record.RejectedRecord;
import dev.headway.probes.chronicle.record.RunStartedRecord;
import dev.headway.probes.chronicle.record.ScoredRecord;
import dev.headway.probes.chronicle.record.StepCompletedRecord;
import dev.headway.probes.chronicle.record.UnblockedRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes every event to a journal of its own: a new directory {@code run-N} inside the journal
 * directory. Nothing that exists is ever written to, so runs never overwrite each other, and
 * engines may share a journal directory.
 *
 * <p>Engine thread, one engine. An event is one record, appended by one call to a mapped file, with
 * nothing allocated once warm. A reader sees it at once. The death of the process takes no record;
 * a power failure takes at most those since the latest flush ({@link #recordsFlushed()}), which
 * another thread makes every {@code flushIterations} steps, every {@code flushSeconds} and at the
 * end.
 *
 * <p>Space is allocated ahead by another thread, so that a full disk is found there. When it cannot
 * grow the file, one error names directory and free bytes; when what was reserved is used up, the
 * journal switches itself off, counts what it drops, and the engine goes on. What was written stays
 * valid, and the drops and the end of the run are still recorded. Should the engine outrun the
 * allocation, a run in real time drops events and records how many; a run in virtual time allocates
 * on the engine thread and drops nothing.
 */
public final class JournalProbe implements Probe {

  private static final int INITIAL_BYTES = 16 << 10;

  private final JournalLevel level;
  private final int flushIterations;
  private final JournalWriter writer;
  private final RecordBuffer buffer = new RecordBuffer(INITIAL_BYTES);
  private int stepsSinceFlush;

  private JournalProbe(JournalOptions options, JournalWriter writer) {
    this.level = options.level();
    this.flushIterations = options.flushIterations();
    this.writer = writer;
  }

  /**
   * Makes a journal with default options.
   *
   * @param directory made if missing; gets a sub-directory for this run
   * @throws JournalException if the directory is not writable or full, or the JVM lacks a flag
   * @throws IllegalArgumentException if the level is off
   */
  public static JournalProbe open(Path directory, JournalLevel level) throws IOException {
    return open(JournalOptions.of(directory, level));
  }

  /**
   * Makes a journal.
   *
   * @throws JournalException if the directory is not writable or full, or the JVM lacks a flag
   * @throws IllegalArgumentException if the level is off
   */
  public static JournalProbe open(JournalOptions options) throws IOException {
    final Path directory = options.directory();
    if (directory == null || options.level() == JournalLevel.OFF) {
      throw new IllegalArgumentException(
          "journal level must be summary, full or debug to open one: level="
              + options.level().label());
    }
    return new JournalProbe(options, JournalWriter.open(directory, options));
  }

  /** The directory of this run. */
  public Path directory() {
    return writer.directory();
  }

  /**
   * Whether events are recorded: not before the run starts, after the end, or when switched off.
   */
  public boolean isRecording() {
    return writer.isOn();
  }

  /** Records appended so far. Any thread. */
  public long recordsWritten() {
    return writer.written();
  }

  /** Events that got no record. Any thread. */
  public long recordsDropped() {
    return writer.dropped();
  }

  /** Records that are on the device for sure. Any thread. */
  public long recordsFlushed() {
    return writer.flushed();
  }

  @Override
  public Set<ProbeInterest> interests() {
    return switch (level) {
      case DEBUG -> EnumSet.allOf(ProbeInterest.class);
      case FULL -> EnumSet.complementOf(EnumSet.of(ProbeInterest.SCORES));
      case SUMMARY, OFF -> EnumSet.of(ProbeInterest.REQUESTS, ProbeInterest.STEPS);
    };
  }

  @Override
  public boolean writesMappedMemory() {
    return true;
  }

  /**
   * Writes the start record.
   *
   * @throws IllegalArgumentException if the attributes take more than 4 MiB
   * @throws IllegalStateException if the run has started before
   */
  @Override
  public void onRunStarted(RunInfo run) {
    RunStartedRecord.encode(buffer, run, level.label());
    writer.start(buffer, run.virtualTime());
  }

  @Override
  public void onQueued(RequestView request) {
    if (writer.accepts(request.queuedNs())) {
      QueuedRecord.encode(buffer, request);
      writer.append(buffer);
    }
  }

  @Override
  public void onRejected(Rejection rejection) {
    if (writer.accepts(rejection.arrivalNs())) {
      RejectedRecord.encode(buffer, rejection);
      writer.append(buffer);
    }
  }

  @Override
  public void onAdmitted(
      long stepId, RequestView request, EntryKind kind, int cachedTokens, int lostTokens) {
    if (writer.accepts()) {
      AdmittedRecord.encode(buffer, stepId, request, kind, cachedTokens, lostTokens);
      writer.append(buffer);
    }
  }

  @Override
  public void onBlocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      @Nullable RequestView blocker,
      int needed,
      int free) {
    if (isFull() && writer.accepts()) {
      BlockedRecord.encode(buffer, stepId, request, reason, blocker, needed, free);
      writer.append(buffer);
    }
  }

  @Override
  public void onUnblocked(long stepId, RequestView request) {
    if (isFull() && writer.accepts()) {
      UnblockedRecord.encode(buffer, stepId, request);
      writer.append(buffer);
    }
  }

  @Override
  public void onAdmissionsClosed(long stepId, WaitReason reason, @Nullable RequestView blocker) {
    if (isFull() && writer.accepts()) {
      AdmissionsClosedRecord.encode(buffer, stepId, reason, blocker);
      writer.append(buffer);
    }
  }

  @Override
  public void onPreempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      @Nullable RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {
    if (writer.accepts()) {
      PreemptedRecord.encode(buffer, stepId, victim, cause, beneficiary, lostTokens, freedBlocks);
      writer.append(buffer);
    }
  }

  @Override
  public void onCacheReset(ResetScope scope, long nowNs) {
    if (writer.accepts(nowNs)) {
      CacheResetRecord.encode(buffer, scope, nowNs);
      writer.append(buffer);
    }
  }

  @Override
  public void onScored(long stepId, RequestView candidate, double score) {
    if (level == JournalLevel.DEBUG && writer.accepts()) {
      ScoredRecord.encode(buffer, stepId, candidate, score);
      writer.append(buffer);
    }
  }

  @Override
  public void onJourney(JourneyEvent event) {
    if (writer.accepts(event.atNs())) {
      JourneyRecord.encode(buffer, event);
      writer.append(buffer);
    }
  }

  @Override
  public void onPlanned(StepPlan plan) {
    if (writer.accepts(plan.endNs())) {
      if (isFull()) {
        PlannedRecord.encode(buffer, plan);
      } else {
        PlannedRecord.encodeSummary(buffer, plan);
      }
      writer.append(buffer);
    }
  }

  @Override
  public void onFirstToken(long stepId, RequestView request, long nowNs) {
    if (writer.accepts(nowNs)) {
      FirstTokenRecord.encode(buffer, stepId, request, nowNs);
      writer.append(buffer);
    }
  }

  @Override
  public void onFinished(
      long stepId,
      RequestView request,
      FinishReason reason,
      int stopTokenId,
      @Nullable Throwable cause,
      int freedBlocks,
      long nowNs) {
    if (writer.accepts(nowNs)) {
      FinishedRecord.encode(
          buffer, stepId, request, reason, stopTokenId, cause, freedBlocks, nowNs);
      writer.append(buffer);
    }
  }

  @Override
  public void onStepCompleted(StepResult result) {
    if (writer.accepts(result.endNs())) {
      if (isFull()) {
        StepCompletedRecord.encode(buffer, result);
      } else {
        StepCompletedRecord.encodeSummary(buffer, result);
      }
      writer.append(buffer);
      if (++stepsSinceFlush >= flushIterations) {
        stepsSinceFlush = 0;
        writer.requestFlush();
      }
    }
  }

  @Override
  public void onKvStored(RequestView request, KvBlocksStored blocks) {
    int from = 0;
    while (isFull() && from < blocks.count() && writer.accepts()) {
      from = KvStoredRecord.encode(buffer, request, blocks, from);
      writer.append(buffer);
    }
  }

  @Override
  public void onKvRemoved(long contentHash, int group) {
    if (isFull() && writer.accepts()) {
      KvRemovedRecord.encode(buffer, contentHash, group);
      writer.append(buffer);
    }
  }

  @Override
  public void onKvCleared() {
    if (isFull() && writer.accepts()) {
      KvClearedRecord.encode(buffer);
      writer.append(buffer);
    }
  }

  @Override
  public void onKvTransfer(KvTransfer transfer, long nowNs) {
    if (isFull() && writer.accepts(nowNs)) {
      KvTransferRecord.encode(buffer, transfer, nowNs);
      writer.append(buffer);
    }
  }

  @Override
  public void onIdle(long nowNs) {
    writer.heard(nowNs);
    writer.requestFlush();
  }

  /** Writes the end record, forces everything to the device and gives back unused space. */
  @Override
  public void close() {
    writer.close();
  }

  private boolean isFull() {
    return level.compareTo(JournalLevel.FULL) >= 0;
  }
}
