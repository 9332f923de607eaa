package dev.headway.api.support;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.SchedulerContext;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.time.NanoClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The books of a scheduler that decides only which requests a step has, with how many tokens: its
 * queue and holds, answers and failures, ends and events. A subclass plans a step by {@link
 * #planStep}.
 *
 * <p>A request gets the KV blocks of all tokens that it can have when it is admitted, so none is
 * preempted; prompts are computed from their beginning, without the prefix cache. A running request
 * may be left out of a step. Engine thread only; allocates.
 */
public abstract class SimpleScheduler implements Scheduler {

  private final SchedulerLimits limits;
  private final int vocabularySize;
  private final KvCacheManager kv;
  private final NanoClock clock;
  private final SchedulerEvents events;
  private final Deque<Scheduled> waiting = new ArrayDeque<>();
  private final Map<RequestView, Set<Hold>> held = new HashMap<>();
  private final List<Scheduled> running = new ArrayList<>();
  private final List<Scheduled> ended = new ArrayList<>();
  private final SimplePlan plan = new SimplePlan();
  private PauseState pause = PauseState.RUNNING;
  private boolean out;
  private long stepId;
  private long arrivals;
  private long finished;

  /** Makes a scheduler without requests. */
  protected SimpleScheduler(SchedulerContext context) {
    limits = context.config().limits();
    vocabularySize = context.executorShape().vocabularySize();
    kv = context.kvCache();
    clock = context.clock();
    events = new SchedulerEvents(context.probe());
  }

  @Override
  public final RequestView add(Request request, OutputListener listener, long arrivalNs) {
    final Scheduled added =
        new Scheduled(this, request, listener, arrivals++, arrivalNs, clock.nanoTime());
    added.kv(kv.open(added));
    if (request.holds().isEmpty()) {
      waiting.addLast(added);
    } else {
      held.put(added, new HashSet<>(request.holds()));
    }
    events.queued(stepId, added);
    return added;
  }

  @Override
  public final void release(RequestView request, Hold hold) {
    final Scheduled own = requireOwn(request);
    final Set<Hold> holds = held.get(own);
    if (holds != null && holds.remove(hold) && holds.isEmpty()) {
      held.remove(own);
      waiting.addLast(own);
    }
  }

  @Override
  public final StepPlan schedule() {
    requireOut(false);
    out = true;
    plan.begin(++stepId, clock.nanoTime());
    kv.beginStep(stepId);
    ended.forEach(plan.finished()::add);
    ended.clear();
    if (pause != PauseState.PAUSED) {
      planStep();
    }
    kv.endStep(plan.blockOperations());
    plan.end(clock.nanoTime());
    events.planned(plan, running.size(), waitingCount(), 0, kv.freeBlocks());
    return plan;
  }

  /**
   * Plans a step by {@link #schedule(Scheduled, int)} and {@link #admit}. Is not called while all
   * scheduling is paused.
   */
  protected abstract void planStep();

  /** The limits of a step. */
  protected final SchedulerLimits limits() {
    return limits;
  }

  /** The requests that run, in the order of their admission; not to be changed. */
  protected final List<Scheduled> running() {
    return Collections.unmodifiableList(running);
  }

  /** The request that has waited for longest; null if there is none, or none may be admitted. */
  protected final @Nullable Scheduled head() {
    final boolean closed = pause != PauseState.RUNNING || running.size() == limits.maxNumSeqs();
    return closed ? null : waiting.peekFirst();
  }

  /**
   * Admits the {@linkplain #head head of the queue} if there are blocks for all tokens that it can
   * have; ends it if there never will be. Returns whether it runs.
   */
  protected final boolean admit(Scheduled head) {
    if (head != head()) {
      throw new IllegalArgumentException("only the head can be admitted: id=" + head.id());
    }
    final int most = head.mostTokens(limits.maxModelLen());
    if (!kv.allocate(head.kv(), most, 0, 0, 0).isAllocated()) {
      if (kv.freeBlocks() == kv.shape().usableBlocks()) {
        end(head, FinishReason.KV_CACHE_EXHAUSTED, ABSENT, null, clock.nanoTime());
      }
      return false;
    }
    running.add(waiting.removeFirst());
    head.status(RequestStatus.RUNNING);
    head.listener.onFirstAdmitted(head, clock.nanoTime());
    events.admitted(stepId, head, EntryKind.NEW, 0, 0, 0);
    return true;
  }

  /**
   * This step computes the next {@code tokens} of a running request, once per step.
   *
   * @throws IllegalArgumentException if it does not run, is in the step, or lacks fewer tokens
   */
  protected final void schedule(Scheduled request, int tokens) {
    if (request.status() != RequestStatus.RUNNING
        || request.lastStepId == stepId
        || tokens < 1
        || tokens > request.lackingTokens()) {
      throw new IllegalArgumentException(
          "a step computes a running request once, and tokens that it lacks: id="
              + request.id()
              + ", status="
              + request.status()
              + ", tokens="
              + tokens
              + ", lackingTokens="
              + request.lackingTokens());
    }
    final boolean first = request.lastStepId == 0;
    final int known = first ? 0 : request.kv().blockCount(0);
    final EntryKind kind = first ? EntryKind.NEW : EntryKind.RUNNING;
    plan.add(request, request.kv(), kind, tokens, known, request.lastStepId);
    request.computedBefore = request.computedTokens();
    request.computedTokens(request.computedTokens() + tokens);
    request.lastStepId = stepId;
  }

  @Override
  public final void complete(StepPlan completed, StepOutput output) {
    requireOut(true);
    if (output.stepId() != stepId || output.size() != plan.size()) {
      throw new IllegalArgumentException("output must answer the plan: stepId=" + stepId);
    }
    out = false;
    final long nowNs = output.availableNs() == ABSENT ? clock.nanoTime() : output.availableNs();
    for (int entry = 0; entry < plan.size(); entry++) {
      final Scheduled request = (Scheduled) plan.request(entry);
      if (request.status() == RequestStatus.RUNNING) {
        complete(request, entry, output, nowNs);
      }
    }
    kv.stepEnded(stepId);
    kv.acknowledge(stepId);
  }

  private void complete(Scheduled request, int entry, StepOutput output, long nowNs) {
    final int tokens = plan.samples(entry) ? 1 : 0;
    Throwable failure = output.failure(entry);
    if (failure == null && output.tokenCount(entry) != tokens) {
      failure = new IllegalStateException("tokens must be " + tokens + ": id=" + request.id());
    }
    final int tokenId = tokens > 0 && failure == null ? output.token(entry, 0) : 0;
    if (tokenId < 0 || tokenId >= vocabularySize) {
      failure = new IllegalStateException("tokens must be in the vocabulary: id=" + request.id());
    }
    if (failure != null) {
      endFailed(request, failure, nowNs);
    } else if (tokens > 0) {
      request.append(tokenId);
      plan.produced(entry, 1);
      if (request.outputTokens() == 1) {
        events.firstToken(stepId, request, nowNs);
      }
      request.listener.onTokens(request, 1, output, entry, nowNs);
      final FinishReason reason = request.endWith(tokenId, limits.maxModelLen());
      if (reason != null && request.status() == RequestStatus.RUNNING) {
        final boolean stopped = request.request().stopRule().isStopToken(tokenId);
        end(request, reason, stopped ? tokenId : ABSENT, null, nowNs);
      }
    }
  }

  /**
   * Ends what has lost its KV: a request whose entry failed, or with null all of a failed step, and
   * those that depend on it.
   */
  private void endFailed(@Nullable Scheduled failed, Throwable cause, long nowNs) {
    final List<KvSequence> lost = new ArrayList<>();
    kv.stepFailed(stepId, failed == null ? null : failed.kv(), lost::add);
    for (Scheduled request : List.copyOf(running)) {
      final boolean planned = request.lastStepId == stepId;
      if ((failed == null && planned) || request == failed || lost.contains(request.kv())) {
        request.computedTokens(planned ? request.computedBefore : request.computedTokens());
        end(request, FinishReason.EXECUTOR_FAILED, ABSENT, cause, nowNs);
      }
    }
  }

  private void end(
      Scheduled request,
      FinishReason how,
      long stopTokenId,
      @Nullable Throwable cause,
      long nowNs) {
    request.status(RequestStatus.FINISHED);
    if (!running.remove(request) && held.remove(request) == null) {
      waiting.remove(request);
    }
    ended.add(request);
    finished++;
    final int freed = kv.release(request.kv(), request.computedTokens(), request.lastStepId);
    kv.close(request.kv());
    events.finished(stepId, request, how, stopTokenId, cause, freed, nowNs);
    request.listener.onFinished(request, how, stopTokenId, cause, nowNs);
  }

  @Override
  public final boolean finish(RequestView request, FinishReason reason, @Nullable Throwable cause) {
    final Scheduled own = requireOwn(request);
    if (own.status() == RequestStatus.FINISHED) {
      return false;
    }
    end(own, reason, ABSENT, cause, clock.nanoTime());
    return true;
  }

  @Override
  public final void fail(StepPlan failed, Throwable cause, BlockFence fence) {
    requireOut(true);
    out = false;
    endFailed(null, cause, clock.nanoTime());
    kv.stepEnded(stepId);
    if (fence == BlockFence.RELEASE) {
      kv.acknowledge(stepId);
    }
  }

  @Override
  public final void releaseFence(long failedStepId) {
    kv.acknowledge(failedStepId);
  }

  private void requireOut(boolean expected) {
    if (out != expected) {
      throw new IllegalStateException("a step must be out: " + expected + ", stepId=" + stepId);
    }
  }

  private Scheduled requireOwn(RequestView request) {
    if (request instanceof Scheduled own && own.owner.equals(this)) {
      return own;
    }
    throw new IllegalArgumentException("the request must be of this scheduler: " + request.id());
  }

  @Override
  public final void setPauseState(PauseState pauseState) {
    pause = pauseState;
  }

  @Override
  public final PauseState pauseState() {
    return pause;
  }

  @Override
  public final boolean resetPrefixCache(ResetScope scope) {
    return kv.reset();
  }

  @Override
  public final int runningCount() {
    return running.size();
  }

  @Override
  public final int waitingCount() {
    return waiting.size() + held.size();
  }

  @Override
  public final boolean hasWork() {
    return !running.isEmpty() || !waiting.isEmpty() || !ended.isEmpty();
  }

  @Override
  public final SchedulerStats stats() {
    return SchedulerStats.builder().steps(stepId).finished(finished).build();
  }

  /** A request with what its scheduler keeps beside its tokens. */
  public static final class Scheduled extends SimpleRequest {

    private final SimpleScheduler owner;
    private final OutputListener listener;
    private long lastStepId;

    /** Tokens computed before {@link #lastStepId}. */
    private int computedBefore;

    private Scheduled(
        SimpleScheduler owner,
        Request request,
        OutputListener listener,
        long number,
        long arrivalNs,
        long queuedNs) {
      super(request, number, arrivalNs, queuedNs);
      this.owner = owner;
      this.listener = listener;
    }

    /** Known tokens that are not computed. */
    public int lackingTokens() {
      return knownTokens() - computedTokens();
    }

    private int mostTokens(int maxModelLen) {
      return (int) Math.min(maxModelLen, (long) promptTokens() + request().stopRule().maxTokens());
    }
  }
}
