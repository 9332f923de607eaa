package dev.headway.scheduler.probes;

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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * A store to a mapped page that cannot be had, for example on a full disk, does not throw where it
 * stands in compiled code: the JVM notes the fault, and the thread gets an InternalError at a later
 * safepoint poll. Once the probe is inlined into the step that poll may lie behind the guard around
 * it, anywhere in the scheduler, in the executor, in a listener. The way back from a JNI call polls:
 * one inside the guard makes the probe pay for its own fault. Thread.holdsLock is the cheapest such
 * call that the compiler does not replace, about 20 ns; Thread.yield would do at about 500.
 */

/** A probe that writes to mapped files, so that its faults surface before its events return. */
final class MappedProbe implements Probe {

  private final Probe probe;

  MappedProbe(Probe probe) {
    this.probe = probe;
  }

  /** The probe itself. */
  Probe probe() {
    return probe;
  }

  private void surfaceFaults() {
    Thread.holdsLock(this);
  }

  @Override
  public Set<ProbeInterest> interests() {
    return probe.interests();
  }

  @Override
  public boolean writesMappedMemory() {
    return true;
  }

  @Override
  public void onRunStarted(RunInfo run) {
    probe.onRunStarted(run);
    surfaceFaults();
  }

  @Override
  public void onQueued(RequestView request) {
    probe.onQueued(request);
    surfaceFaults();
  }

  @Override
  public void onRejected(Rejection rejection) {
    probe.onRejected(rejection);
    surfaceFaults();
  }

  @Override
  public void onAdmitted(
      long stepId, RequestView request, EntryKind kind, int cachedTokens, int lostTokens) {
    probe.onAdmitted(stepId, request, kind, cachedTokens, lostTokens);
    surfaceFaults();
  }

  @Override
  public void onBlocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      @Nullable RequestView blocker,
      int needed,
      int free) {
    probe.onBlocked(stepId, request, reason, blocker, needed, free);
    surfaceFaults();
  }

  @Override
  public void onUnblocked(long stepId, RequestView request) {
    probe.onUnblocked(stepId, request);
    surfaceFaults();
  }

  @Override
  public void onAdmissionsClosed(long stepId, WaitReason reason, @Nullable RequestView blocker) {
    probe.onAdmissionsClosed(stepId, reason, blocker);
    surfaceFaults();
  }

  @Override
  public void onPreempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      @Nullable RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {
    probe.onPreempted(stepId, victim, cause, beneficiary, lostTokens, freedBlocks);
    surfaceFaults();
  }

  @Override
  public void onCacheReset(ResetScope scope, long nowNs) {
    probe.onCacheReset(scope, nowNs);
    surfaceFaults();
  }

  @Override
  public void onScored(long stepId, RequestView candidate, double score) {
    probe.onScored(stepId, candidate, score);
    surfaceFaults();
  }

  @Override
  public void onJourney(JourneyEvent event) {
    probe.onJourney(event);
    surfaceFaults();
  }

  @Override
  public void onPlanned(StepPlan plan) {
    probe.onPlanned(plan);
    surfaceFaults();
  }

  @Override
  public void onFirstToken(long stepId, RequestView request, long nowNs) {
    probe.onFirstToken(stepId, request, nowNs);
    surfaceFaults();
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
    probe.onFinished(stepId, request, reason, stopTokenId, cause, freedBlocks, nowNs);
    surfaceFaults();
  }

  @Override
  public void onStepCompleted(StepResult result) {
    probe.onStepCompleted(result);
    surfaceFaults();
  }

  @Override
  public void onIdle(long nowNs) {
    probe.onIdle(nowNs);
    surfaceFaults();
  }

  @Override
  public void onKvStored(RequestView request, KvBlocksStored blocks) {
    probe.onKvStored(request, blocks);
    surfaceFaults();
  }

  @Override
  public void onKvRemoved(long contentHash, int group) {
    probe.onKvRemoved(contentHash, group);
    surfaceFaults();
  }

  @Override
  public void onKvCleared() {
    probe.onKvCleared();
    surfaceFaults();
  }

  @Override
  public void onKvTransfer(KvTransfer transfer, long nowNs) {
    probe.onKvTransfer(transfer, nowNs);
    surfaceFaults();
  }

  @Override
  public void close() {
    probe.close();
    surfaceFaults();
  }
}
