package dev.headway.api.probe;

import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Observes scheduling.
 *
 * <p>Methods run on the engine thread, inside the step: they must not block and must not keep a
 * view after they return. {@link #interests} and {@link #onRunStarted} are called by whoever builds
 * the engine, {@link #onIdle} and {@link #close} between steps. A probe that throws anything is
 * detached, counted in {@code EngineStats.probesDetached} and logged once; the step is unharmed.
 * Methods do nothing unless overridden. Events with {@code stepId} and no {@code nowNs} take effect
 * at that plan's {@code endNs}.
 */
public interface Probe extends KvCacheListener, AutoCloseable {

  /**
   * What this probe wants to hear; asked once, when the engine is built. Everything but scores
   * unless told.
   */
  default Set<ProbeInterest> interests() {
    return EnumSet.complementOf(EnumSet.of(ProbeInterest.SCORES));
  }

  /**
   * Whether this probe writes to mapped files. A full disk under a mapping can surface as an {@link
   * InternalError} after the probe has returned; the engine then detaches such probes and goes on.
   */
  default boolean writesMappedMemory() {
    return false;
  }

  /** The run begins. Always called, first. */
  default void onRunStarted(RunInfo run) {}

  /** A request entered the waiting queue, at {@link RequestView#queuedNs()}. */
  default void onQueued(RequestView request) {}

  /** A request was refused at submission. */
  default void onRejected(Rejection rejection) {}

  /**
   * A request was admitted.
   *
   * @param kind {@link EntryKind#NEW} or {@link EntryKind#RESUMED}
   * @param cachedTokens tokens found in the prefix cache
   * @param lostTokens tokens computed before the last preemption in blocks that are no longer
   *     there; 0 for a new request
   */
  default void onAdmitted(
      long stepId, RequestView request, EntryKind kind, int cachedTokens, int lostTokens) {}

  /**
   * A request was examined and got nothing, for a reason other than in the step before. The reason
   * holds in the following steps until the next event of this request.
   *
   * @param blocker who stands in the way, if it is one request
   * @param needed KV blocks it needs from the free ones, or tokens if the reason is a token budget;
   *     0 if neither applies
   * @param free how many of those there were
   */
  default void onBlocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      @Nullable RequestView blocker,
      int needed,
      int free) {}

  /**
   * The reason of its own no longer holds: a running request is scheduled again; a waiting one was
   * not examined and waits for the reason given by {@link #onAdmissionsClosed}.
   */
  default void onUnblocked(long stepId, RequestView request) {}

  /**
   * The reason for which the admissions of a step ended with requests left waiting has changed.
   * Every waiting request without a reason of its own waits for this one, in this step and the
   * following.
   *
   * @param blocker the head that was refused, for {@link WaitReason#HEAD_OF_LINE}
   */
  default void onAdmissionsClosed(long stepId, WaitReason reason, @Nullable RequestView blocker) {}

  /**
   * A running request was put back into the waiting queue. In a cache reset this takes effect at
   * the instant given by {@link #onCacheReset}.
   *
   * @param beneficiary who gets the blocks, or null in a cache reset; the victim itself if it
   *     needed them
   * @param lostTokens computed tokens given up; cached blocks may bring some back
   * @param freedBlocks blocks it let go of
   */
  default void onPreempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      @Nullable RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {}

  /** A prefix-cache reset begins; preemptions and {@link #onKvCleared()} follow. */
  default void onCacheReset(ResetScope scope, long nowNs) {}

  /**
   * A policy has ranked a waiting request: the smallest score is considered first. Told for every
   * candidate of every step that ranks, so only to probes that ask for {@link
   * ProbeInterest#SCORES}.
   */
  default void onScored(long stepId, RequestView candidate, double score) {}

  /**
   * The server around the engine saw a stage of a request's journey. Comes when the engine thread
   * learns of it, before or after the request's own events; its instant is in the event.
   */
  default void onJourney(JourneyEvent event) {}

  /** A step was planned; also when it is empty. */
  default void onPlanned(StepPlan plan) {}

  /** A request's first token was generated, available at {@code nowNs}. */
  default void onFirstToken(long stepId, RequestView request, long nowNs) {}

  /**
   * A request ended. Exactly one such event for every queued request.
   *
   * @param stepId the step whose output ended it, or the latest planned step
   * @param stopTokenId the stop token that ended it, or -1
   * @param cause what failed, or null
   * @param freedBlocks blocks it let go of
   */
  default void onFinished(
      long stepId,
      RequestView request,
      FinishReason reason,
      int stopTokenId,
      @Nullable Throwable cause,
      int freedBlocks,
      long nowNs) {}

  /** A step is done: its output was taken over, or it failed. One for every plan, in order. */
  default void onStepCompleted(StepResult result) {}

  /**
   * Nothing happened for a while, or the engine is idle: a good moment to flush. Not inside a step.
   */
  default void onIdle(long nowNs) {}

  /** The run ends. Called once, also after the probe was detached. */
  @Override
  default void close() {}
}
