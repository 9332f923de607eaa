package dev.headway.scheduler.engine;

import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.engine.TurnOutcome;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.SessionInput;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.WaitTimes;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.TokenLogprobs;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A submitted request: the caller's handle, and the scheduler's output listener. The handle's
 * methods are for any thread, everything else for the engine thread.
 */
final class LiveRequest implements RequestHandle, OutputListener {

  final Request request;
  final TokenListener listener;
  final long arrivalNs;

  /** Whether the engine thread has taken it out of the submission queue. */
  boolean takenIn;

  /** The scheduler's view; null until it was taken in. */
  @Nullable RequestView view;

  /** The first exception of its listener. */
  @Nullable Throwable listenerFailure;

  /** How many deadlines it has. */
  int deadlines;

  /** Tells requests of one instant apart where the worst of them is looked for. */
  long submission;

  /** Whether its place in the backlog is another's; read behind {@link WorstWaiters#remove}. */
  boolean gaveWay;

  /** Whether it was ever admitted. */
  boolean isAdmitted;

  /** Its holds, once it was taken in. */
  List<HoldWatch> holds = List.of();

  /** What the admission gate held it for last; null if it never did. */
  @Nullable HoldWatch gateHold;

  /** Its further inputs; null if it is no session. */
  final @Nullable SessionInputs inputs;

  /** Whether it counts in the backlog; by its submitter first, then by the engine thread. */
  boolean inBacklog;

  /** Whether its prompt no longer counts there. */
  boolean isPrefilled;

  /** Holds tokens back; null if each is delivered at once. */
  private final @Nullable TokenDelivery delivery;

  private WaitTimes waits = WaitTimes.NONE;
  private final LiveRequests owner;

  /** The end requested by the caller; null if none. */
  private final AtomicReference<@Nullable FinishReason> wantedEnd = new AtomicReference<>();

  private final CompletableFuture<RequestOutcome> outcome = new CompletableFuture<>();
  private final CountDownLatch done = new CountDownLatch(1);

  /**
   * Whether its end was reported: an engine that is taken from its thread ends it from another one.
   */
  private final AtomicBoolean ended = new AtomicBoolean();

  LiveRequest(Request request, TokenListener listener, long arrivalNs, LiveRequests owner) {
    this.request = request;
    this.listener = Objects.requireNonNull(listener, "listener");
    this.arrivalNs = arrivalNs;
    this.owner = owner;
    this.inputs = request.isResumable() ? owner.inputsOf(this) : null;
    final int interval = owner.streamIntervalOf(request);
    this.delivery = interval > 1 ? new TokenDelivery(this, interval, owner) : null;
  }

  @Override
  public void onFirstAdmitted(RequestView request, long nowNs) {
    isAdmitted = true;
    owner.admitted(this, nowNs);
  }

  @Override
  public void onHeld(RequestView request, Hold hold, long nowNs) {
    owner.heldByGate(this, hold, nowNs);
  }

  @Override
  public void onTokens(RequestView request, int count, long nowNs) {
    if (!isPrefilled) {
      owner.onPrefilled(this);
    }
    if (delivery != null) {
      delivery.arrived(request);
      return;
    }
    try {
      for (int i = request.knownTokens() - count; i < request.knownTokens() && !ended.get(); i++) {
        listener.onToken(i - request.promptTokens(), request.tokenId(i));
      }
    } catch (Throwable t) {
      owner.onListenerFailed(this, t);
    }
  }

  @Override
  public void onTokens(RequestView request, int count, StepOutput output, int entry, long nowNs) {
    if (!isPrefilled) {
      owner.onPrefilled(this);
    }
    final boolean wantsLogprobs = this.request.sampling().logprobs().isPresent();
    if (delivery != null) {
      if (wantsLogprobs) {
        delivery.keepLogprobs(request.outputTokens() - count, count, output, entry);
      }
      delivery.arrived(request);
      return;
    }
    try {
      final int first = request.outputTokens() - count;
      for (int i = 0; i < count && !ended.get(); i++) {
        final int tokenId = output.token(entry, i);
        final TokenLogprobs logprobs = output.logprobs(entry, i);
        if (logprobs != null && wantsLogprobs) {
          listener.onLogprobs(first + i, tokenId, logprobs);
        }
        listener.onToken(first + i, tokenId);
      }
    } catch (Throwable t) {
      owner.onListenerFailed(this, t);
    }
  }

  @Override
  public void onTurnEnded(RequestView request, FinishReason reason, long stopTokenId, long nowNs) {
    if (delivery != null) {
      delivery.turnEnded(request);
    }
    final int turn = owner.turnEnded(this, nowNs);
    try {
      listener.onTurnEnd(new TurnOutcome(turn, reason, outputsOf(request), nowNs));
    } catch (Throwable t) {
      owner.onListenerFailed(this, t);
    }
  }

  private static int[] outputsOf(RequestView request) {
    final int[] outputs = new int[request.outputTokens()];
    request.copyTokenIds(request.promptTokens(), outputs, 0, outputs.length);
    return outputs;
  }

  @Override
  public void onWaitTimes(RequestView request, long[] byReasonNs) {
    waits = WaitTimes.of(byReasonNs);
  }

  @Override
  public void onFinished(
      RequestView request,
      FinishReason reason,
      long stopTokenId,
      @Nullable Throwable cause,
      long nowNs) {
    if (delivery != null) {
      delivery.deliver(request);
    }
    finish(request, reason, cause, nowNs);
  }

  private void finish(
      RequestView request, FinishReason reason, @Nullable Throwable cause, long nowNs) {
    owner.onFinished(
        this,
        new RequestOutcome.Finished(
            id(),
            reason,
            outputsOf(request),
            request.preemptions(),
            arrivalNs,
            nowNs,
            cause,
            waits));
  }

  /** Notifies the listener and then completes the handle. */
  void complete(RequestOutcome result) {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    try {
      listener.onDone(result);
    } catch (Throwable t) {
      if (listenerFailure == null) {
        owner.countFailedListener(this, t);
      }
    } finally {
      done.countDown();
      outcome.complete(result);
    }
  }

  /** Ends a request that the scheduler can no longer end, with the tokens it has. */
  void endWithoutScheduler(FinishReason reason, @Nullable Throwable cause, long nowNs) {
    final RequestView last = view;
    if (last != null) {
      finish(last, reason, cause, nowNs); // what is held back is among the outcome's tokens
    } else {
      owner.onFinished(
          this,
          new RequestOutcome.Finished(id(), reason, new int[0], 0, arrivalNs, nowNs, cause, waits));
    }
  }

  @Override
  public String id() {
    return request.id();
  }

  @Override
  public void cancel() {
    want(FinishReason.ABORTED);
  }

  @Override
  public void stop() {
    want(FinishReason.STOP);
  }

  @Override
  public boolean append(SessionInput input) {
    return inputs().append(input) && owner.inputCame(this);
  }

  @Override
  public boolean endInput() {
    return inputs().end() && owner.inputCame(this);
  }

  private SessionInputs inputs() {
    if (inputs == null) {
      throw new UnsupportedOperationException(
          "only a session gets further input: id=" + id() + "; build it resumable()");
    }
    return inputs;
  }

  /** Ends it for a more important request. Any thread. */
  void evict() {
    want(FinishReason.QUEUE_EVICTED);
  }

  private void want(FinishReason reason) {
    if (!isDone() && wantedEnd.compareAndSet(null, reason)) {
      owner.requestEnd(this);
    }
  }

  /** The end requested by the caller, or null. */
  @Nullable FinishReason wantedEnd() {
    return wantedEnd.get();
  }

  /** Whether its listener has thrown: it gets the end alone. */
  boolean hasFailed() {
    return listenerFailure != null;
  }

  /** Whether its end was reported. */
  boolean hasEnded() {
    return ended.get();
  }

  @Override
  public boolean isDone() {
    return outcome.isDone(); // not the latch: a thread that reads true can read the outcome too
  }

  @Override
  public CompletionStage<RequestOutcome> outcome() {
    return outcome.minimalCompletionStage();
  }

  @Override
  public RequestOutcome await() throws InterruptedException {
    done.await();
    return outcome.join();
  }
}
