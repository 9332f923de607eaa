package dev.headway.events.inprocess;

import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.CacheResetEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.FirstTokenEvent;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.LimitsChangedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.ScoredEvent;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.probe.UnblockedEvent;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.record.AdmissionsClosedRecord;
import dev.headway.events.record.AdmittedRecord;
import dev.headway.events.record.BlockedRecord;
import dev.headway.events.record.CacheResetRecord;
import dev.headway.events.record.CompletedEventView;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.KvRemovedRecord;
import dev.headway.events.record.KvStoredRecord;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.LimitsChangedRecord;
import dev.headway.events.record.PlannedEventView;
import dev.headway.events.record.PreemptedRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.events.record.RunEndedRecord;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.events.record.ScoredRecord;
import dev.headway.events.record.UnblockedRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;

/**
 * A probe for facts instead of decisions: notifies a {@link RunListener} of the history of each
 * request and step, and, if the listener also implements {@link
 * dev.headway.events.model.WaitListener}, of how long each request waited and why. The
 * notifications are those that a reader of the journal of the same run gets.
 *
 * <pre>{@code
 * HeadwayEngine.builder(executor).probe(new RunProbe(listener)).build();
 * }</pre>
 *
 * <p>Runs on the engine's thread, inside the step: the listener must not block. Timelines may be
 * kept; they continue to change on that thread. Memory is bounded by live requests and steps in
 * flight. Unlike a journal it allocates: a few objects per request and decision, and per step; see
 * {@link RunDetail}. A listener that throws is detached with this probe; {@link #close} is still
 * called.
 *
 * <p>One run. May be subclassed to act before or after an event.
 */
public class RunProbe implements Probe {

  private final RunModel model;
  private final RunDetail detail;
  private final PlannedEventView planned;
  private final CompletedEventView completed;
  private long[] hashes = new long[16];
  private long latestNs;
  private boolean started;

  /**
   * Creates a probe that notifies {@code listener} of requests, waits and steps, and closes it on
   * {@link #close}.
   */
  public RunProbe(RunListener listener) {
    this(listener, RunDetail.ENTRIES);
  }

  /**
   * Creates a probe that notifies {@code listener} in the given detail, and closes it on {@link
   * #close}.
   */
  public RunProbe(RunListener listener, RunDetail detail) {
    this.model = new RunModel(listener);
    this.detail = detail;
    this.planned =
        detail == RunDetail.TOKENS
            ? PlannedEventView.withNumbersOnly()
            : new PlannedEventView(detail.hasEntries());
    this.completed = new CompletedEventView(detail.hasTokens());
  }

  @Override
  public Set<ProbeInterest> interests() {
    return detail.interests();
  }

  @Override
  public void onRunStarted(RunInfo run) {
    final JournalLevel level =
        switch (detail) {
          case CHANGES, TOKENS -> JournalLevel.SUMMARY;
          case ENTRIES -> JournalLevel.FULL;
          case EVERYTHING -> JournalLevel.DEBUG;
        };
    started = true;
    model.onRunStarted(RunStartedRecord.of(run, level.label()));
  }

  @Override
  public void onQueued(QueuedEvent event) {
    seen(event.atNs());
    model.onQueued(QueuedRecord.of(event));
  }

  @Override
  public void onRejected(RejectedEvent event) {
    seen(event.atNs());
    model.onRejected(RejectedRecord.of(event));
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    model.onAdmitted(AdmittedRecord.of(event));
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    model.onBlocked(BlockedRecord.of(event));
  }

  @Override
  public void onUnblocked(UnblockedEvent event) {
    model.onUnblocked(UnblockedRecord.of(event));
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    model.onAdmissionsClosed(AdmissionsClosedRecord.of(event));
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    model.onPreempted(PreemptedRecord.of(event));
  }

  @Override
  public void onCacheReset(CacheResetEvent event) {
    seen(event.atNs());
    model.onCacheReset(CacheResetRecord.of(event));
  }

  @Override
  public void onLimitsChanged(LimitsChangedEvent event) {
    seen(event.atNs());
    model.onLimitsChanged(LimitsChangedRecord.of(event));
  }

  @Override
  public void onScored(ScoredEvent event) {
    model.onScored(ScoredRecord.of(event));
  }

  @Override
  public void onJourney(JourneyEvent event) {
    seen(event.atNs());
    model.onJourney(JourneyRecord.of(event));
  }

  @Override
  public void onPlanned(PlannedEvent event) {
    seen(event.endNs());
    model.onPlanned(planned.wrap(event));
  }

  @Override
  public void onFirstToken(FirstTokenEvent event) {
    seen(event.atNs());
    model.onFirstToken(FirstTokenRecord.of(event));
  }

  @Override
  public void onFinished(FinishedEvent event) {
    seen(event.atNs());
    if (detail.hasEntries()) {
      model.onFinished(FinishedRecord.of(event));
    } else {
      model.onFinished(FinishedRecord.of(event), event.request().computedTokens());
    }
  }

  @Override
  public void onStepCompleted(StepCompletedEvent event) {
    seen(event.endNs());
    model.onStepCompleted(completed.wrap(event));
  }

  @Override
  public void onKvStored(KvBlocksStored blocks) {
    final KvStoredRecord stored = KvStoredRecord.of(blocks, hashes);
    hashes = stored.contentHashes();
    model.onKvStored(stored);
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    model.onKvRemoved(new KvRemovedRecord(event.contentHash(), event.group()));
  }

  @Override
  public void onKvCleared(KvCacheCleared event) {
    model.onKvCleared();
  }

  @Override
  public void onKvTransfer(KvTransfer transfer) {
    seen(transfer.atNs());
    model.onKvTransfer(KvTransferRecord.of(transfer));
  }

  /**
   * Lets the listener flush.
   *
   * @throws UncheckedIOException if it could not
   */
  @Override
  public void onIdle(long nowNs) {
    seen(nowNs);
    try {
      model.flush(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Concludes the run and closes the listener.
   *
   * @throws UncheckedIOException if the listener could not be closed
   */
  @Override
  public void close() {
    if (started) {
      model.onRunEnded(new RunEndedRecord(latestNs));
    }
    try {
      model.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void seen(long nowNs) {
    latestNs = Math.max(latestNs, nowNs);
  }
}
