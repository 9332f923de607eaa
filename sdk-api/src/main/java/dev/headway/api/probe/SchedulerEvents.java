package dev.headway.api.probe;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.EngineLimits;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Notifies a probe of what a scheduler and an engine decide: one method per event, which fills the
 * one reused view of its kind. A custom scheduler calls these at each decision.
 *
 * <p>Engine thread only; allocates nothing.
 */
/*
 * What is mostly the same from event to event is only written when it changes: writing a reference
 * into an old object costs a memory barrier, some 10 ns, even without a listener.
 */
public final class SchedulerEvents {

  private final Probe probe;
  private final Set<ProbeInterest> wanted;
  private final OfRequest request = new OfRequest();
  private final Rejected rejected = new Rejected();
  private final Admitted admitted = new Admitted();
  private final Blocked blocked = new Blocked();
  private final Closed closed = new Closed();
  private final Preempted preempted = new Preempted();
  private final Reset reset = new Reset();
  private final Limits limits = new Limits();
  private final Scored scored = new Scored();
  private final Planned planned = new Planned();
  private final Finished finished = new Finished();
  private final Completed completed = new Completed();

  /** Notifies {@code probe}. */
  public SchedulerEvents(Probe probe) {
    this.probe = probe;
    this.wanted = Set.copyOf(probe.interests());
  }

  /**
   * Whether the probe asked for this kind of events when this object was created; other kinds may
   * be skipped.
   */
  public boolean areWanted(ProbeInterest kind) {
    return wanted.contains(kind);
  }

  /** A request entered the waiting queue at its {@link RequestView#queuedNs()}. */
  public void queued(long stepId, RequestView queued) {
    probe.onQueued(request.of(stepId, queued.queuedNs(), queued));
  }

  /** A request was refused at submission. */
  public void rejected(
      long stepId, Request refused, RejectReason reason, String message, long atNs) {
    rejected.at(stepId, atNs);
    rejected.request = refused;
    rejected.reason = reason;
    rejected.message = message;
    probe.onRejected(rejected);
  }

  /** A decision; the arguments are those of {@link AdmittedEvent}. */
  public void admitted(
      long stepId,
      RequestView request,
      EntryKind kind,
      int cachedTokens,
      int hostCachedTokens,
      int evictedTokens) {
    admitted(stepId, request, kind, cachedTokens, hostCachedTokens, 0, evictedTokens, 0);
  }

  /** A decision; the arguments are those of {@link AdmittedEvent}. */
  public void admitted(
      long stepId,
      RequestView request,
      EntryKind kind,
      int cachedTokens,
      int hostCachedTokens,
      int externalTokens,
      int evictedTokens,
      long prefixHash) {
    admitted.decided(stepId, request);
    admitted.kind = kind;
    admitted.externalTokens = externalTokens;
    admitted.cachedTokens = cachedTokens;
    admitted.hostCachedTokens = hostCachedTokens;
    admitted.evictedTokens = evictedTokens;
    admitted.prefixHash = prefixHash;
    probe.onAdmitted(admitted);
  }

  /** A decision; the arguments are those of {@link BlockedEvent}. */
  public void blocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      @Nullable RequestView blocker,
      int needed,
      int free) {
    blocked.decided(stepId, request);
    blocked.reason = reason;
    blocked.blocker = blocker;
    blocked.needed = needed;
    blocked.free = free;
    probe.onBlocked(blocked);
  }

  /** A waiting request is held from this instant on, outside any step. */
  public void held(long stepId, RequestView request, WaitReason reason, long atNs) {
    blocked.at(stepId, atNs);
    blocked.request = request;
    blocked.reason = reason;
    blocked.blocker = null;
    blocked.needed = 0;
    blocked.free = 0;
    probe.onBlocked(blocked);
  }

  /** A request is held no longer, from this instant on. */
  public void released(long stepId, RequestView released, long atNs) {
    probe.onUnblocked(request.of(stepId, atNs, released));
  }

  /** A decision: the individual wait reason of a request was cleared. */
  public void unblocked(long stepId, RequestView unblocked) {
    probe.onUnblocked(request.of(stepId, ABSENT, unblocked));
  }

  /** A decision; the arguments are those of {@link AdmissionsClosedEvent}. */
  public void admissionsClosed(long stepId, WaitReason reason, @Nullable RequestView blocker) {
    closed.at(stepId, ABSENT);
    closed.reason = reason;
    closed.blocker = blocker;
    probe.onAdmissionsClosed(closed);
  }

  /** A decision; the arguments are those of {@link PreemptedEvent}. */
  public void preempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      @Nullable RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {
    preempted(stepId, victim, cause, beneficiary, lostTokens, freedBlocks, 0);
  }

  /** As the other, with the blocks that the beneficiary lacked. */
  public void preempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      @Nullable RequestView beneficiary,
      int lostTokens,
      int freedBlocks,
      int missingBlocks) {
    preempted.decided(stepId, victim);
    preempted.cause = cause;
    preempted.beneficiary = beneficiary;
    preempted.lostTokens = lostTokens;
    preempted.freedBlocks = freedBlocks;
    preempted.missingBlocks = missingBlocks;
    probe.onPreempted(preempted);
  }

  /** A prefix-cache reset begins. */
  public void cacheReset(long stepId, ResetScope scope, long atNs) {
    reset.at(stepId, atNs);
    reset.scope = scope;
    probe.onCacheReset(reset);
  }

  /** The limits of the engine are others from the next step on. */
  public void limitsChanged(
      long stepId, EngineLimits oldLimits, EngineLimits newLimits, long atNs) {
    limits.at(stepId, atNs);
    limits.oldLimits = oldLimits;
    limits.newLimits = newLimits;
    probe.onLimitsChanged(limits);
  }

  /** A decision: a policy gave a waiting request a score. */
  public void scored(long stepId, RequestView candidate, double score) {
    scored.decided(stepId, candidate);
    scored.score = score;
    probe.onScored(scored);
  }

  /** The server around the engine reported a stage of a request's journey. */
  public void journey(JourneyEvent event) {
    probe.onJourney(event);
  }

  /** A step was planned; the figures after the plan are those of {@link PlannedEvent}. */
  public void planned(
      StepPlan plan,
      int runningCount,
      int waitingCount,
      int preemptedWaitingCount,
      int freeBlocks) {
    planned.at(plan.stepId(), plan.endNs());
    planned.of(plan);
    planned.runningCount = runningCount;
    planned.waitingCount = waitingCount;
    planned.preemptedWaitingCount = preemptedWaitingCount;
    planned.freeBlocks = freeBlocks;
    probe.onPlanned(planned);
  }

  /** The first token of a request was generated. */
  public void firstToken(long stepId, RequestView generated, long atNs) {
    probe.onFirstToken(request.of(stepId, atNs, generated));
  }

  /**
   * A request ended.
   *
   * @param stopTokenId the stop token that ended it, or {@link dev.headway.api.Absent#ABSENT}
   */
  public void finished(
      long stepId,
      RequestView request,
      FinishReason reason,
      long stopTokenId,
      @Nullable Throwable cause,
      int freedBlocks,
      long atNs) {
    finished.at(stepId, atNs);
    finished.of(request, reason);
    finished.stopTokenId = stopTokenId;
    finished.cause = cause;
    finished.freedBlocks = freedBlocks;
    probe.onFinished(finished);
  }

  /**
   * A step is done.
   *
   * @param submitNs instant of the hand-over to the executor, or {@link
   *     dev.headway.api.Absent#ABSENT} if there was none
   */
  public void stepCompleted(
      StepPlan plan,
      StepOutput output,
      long submitNs,
      long outputNs,
      long endNs,
      @Nullable Throwable failure) {
    completed.at(plan.stepId(), endNs);
    completed.of(plan, output);
    completed.submitNs = submitNs;
    completed.outputNs = outputNs;
    completed.failure = failure;
    probe.onStepCompleted(completed);
  }

  private static <T> T valid(@Nullable T figure) {
    return Objects.requireNonNull(figure, "an event is valid during the call only");
  }

  private abstract static class View implements ProbeEvent {
    private long stepId;
    private long atNs = ABSENT;

    final void at(long step, long nowNs) {
      stepId = step;
      atNs = nowNs;
    }

    @Override
    public final long stepId() {
      return stepId;
    }

    @Override
    public final long atNs() {
      return atNs;
    }
  }

  /** Every event that has a request and no further figures; superclass of the others. */
  private static class OfRequest extends View
      implements QueuedEvent, UnblockedEvent, FirstTokenEvent {
    @Nullable RequestView request;

    final OfRequest of(long step, long nowNs, RequestView subject) {
      at(step, nowNs);
      request = subject;
      return this;
    }

    final void decided(long step, RequestView subject) {
      of(step, ABSENT, subject);
    }

    @Override
    public final RequestView request() {
      return valid(request);
    }
  }

  private static final class Rejected extends View implements RejectedEvent {
    private @Nullable Request request;
    private @Nullable RejectReason reason;
    private String message = "";

    @Override
    public Request request() {
      return valid(request);
    }

    @Override
    public RejectReason reason() {
      return valid(reason);
    }

    @Override
    public String message() {
      return message;
    }
  }

  private static final class Admitted extends OfRequest implements AdmittedEvent {
    private EntryKind kind = EntryKind.NEW;
    private int cachedTokens;
    private int hostCachedTokens;
    private int externalTokens;
    private int evictedTokens;
    private long prefixHash;

    @Override
    public EntryKind kind() {
      return kind;
    }

    @Override
    public int cachedTokens() {
      return cachedTokens;
    }

    @Override
    public int hostCachedTokens() {
      return hostCachedTokens;
    }

    @Override
    public int externalTokens() {
      return externalTokens;
    }

    @Override
    public long prefixHash() {
      return prefixHash;
    }

    @Override
    public int evictedTokens() {
      return evictedTokens;
    }
  }

  private static final class Blocked extends OfRequest implements BlockedEvent {
    private @Nullable WaitReason reason;
    private @Nullable RequestView blocker;
    private int needed;
    private int free;

    @Override
    public WaitReason reason() {
      return valid(reason);
    }

    @Override
    public @Nullable RequestView blocker() {
      return blocker;
    }

    @Override
    public int needed() {
      return needed;
    }

    @Override
    public int free() {
      return free;
    }
  }

  private static final class Closed extends View implements AdmissionsClosedEvent {
    private @Nullable WaitReason reason;
    private @Nullable RequestView blocker;

    @Override
    public WaitReason reason() {
      return valid(reason);
    }

    @Override
    public @Nullable RequestView blocker() {
      return blocker;
    }
  }

  private static final class Preempted extends OfRequest implements PreemptedEvent {
    private @Nullable PreemptionCause cause;
    private @Nullable RequestView beneficiary;
    private int lostTokens;
    private int freedBlocks;
    private int missingBlocks;

    @Override
    public PreemptionCause cause() {
      return valid(cause);
    }

    @Override
    public @Nullable RequestView beneficiary() {
      return beneficiary;
    }

    @Override
    public int lostTokens() {
      return lostTokens;
    }

    @Override
    public int freedBlocks() {
      return freedBlocks;
    }

    @Override
    public int missingBlocks() {
      return missingBlocks;
    }
  }

  private static final class Reset extends View implements CacheResetEvent {
    private @Nullable ResetScope scope;

    @Override
    public ResetScope scope() {
      return valid(scope);
    }
  }

  private static final class Limits extends View implements LimitsChangedEvent {
    private @Nullable EngineLimits oldLimits;
    private @Nullable EngineLimits newLimits;

    @Override
    public EngineLimits oldLimits() {
      return valid(oldLimits);
    }

    @Override
    public EngineLimits newLimits() {
      return valid(newLimits);
    }
  }

  private static final class Scored extends OfRequest implements ScoredEvent {
    private double score;

    @Override
    public double score() {
      return score;
    }
  }

  private static final class Planned extends View implements PlannedEvent {
    private @Nullable StepPlan plan;
    private int runningCount;
    private int waitingCount;
    private int preemptedWaitingCount;
    private int freeBlocks;

    @SuppressWarnings("ReferenceEquality") // whether it is the same buffer
    void of(StepPlan step) {
      if (plan != step) {
        plan = step;
      }
    }

    @Override
    public StepPlan plan() {
      return valid(plan);
    }

    @Override
    public int runningCount() {
      return runningCount;
    }

    @Override
    public int waitingCount() {
      return waitingCount;
    }

    @Override
    public int preemptedWaitingCount() {
      return preemptedWaitingCount;
    }

    @Override
    public int freeBlocks() {
      return freeBlocks;
    }
  }

  private static final class Finished extends OfRequest implements FinishedEvent {
    private @Nullable FinishReason reason;
    private long stopTokenId = ABSENT;
    private @Nullable Throwable cause;
    private int freedBlocks;

    void of(RequestView subject, FinishReason why) {
      request = subject;
      if (reason != why) {
        reason = why;
      }
    }

    @Override
    public FinishReason reason() {
      return valid(reason);
    }

    @Override
    public long stopTokenId() {
      return stopTokenId;
    }

    @Override
    public @Nullable Throwable cause() {
      return cause;
    }

    @Override
    public int freedBlocks() {
      return freedBlocks;
    }
  }

  private static final class Completed extends View implements StepCompletedEvent {
    private @Nullable StepPlan plan;
    private @Nullable StepOutput output;
    private long submitNs = ABSENT;
    private long outputNs;
    private @Nullable Throwable failure;

    @SuppressWarnings("ReferenceEquality") // whether they are the same buffers
    void of(StepPlan step, StepOutput answer) {
      if (plan != step) {
        plan = step;
      }
      if (output != answer) {
        output = answer;
      }
    }

    @Override
    public StepPlan plan() {
      return valid(plan);
    }

    @Override
    public boolean wasExecuted() {
      return submitNs != ABSENT;
    }

    @Override
    public long submitNs() {
      return submitNs == ABSENT ? plan().endNs() : submitNs;
    }

    @Override
    public long outputNs() {
      return outputNs;
    }

    @Override
    public StepOutput output() {
      return valid(output);
    }

    @Override
    public @Nullable Throwable failure() {
      return failure;
    }
  }
}
