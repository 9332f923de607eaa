package dev.headway.router.proxy;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.router.record.Attempt;
import dev.headway.router.registry.Dispatch;
import dev.headway.router.resilience.CircuitBreaker.Verdict;
import dev.headway.router.resilience.RetryOptions;
import dev.headway.routing.core.NoWorkerException;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.timing.HostClock;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends a request to one worker after the other until one answers. One event loop.
 *
 * <pre>{@code
 * worker chosen ─▶ AnswerCopy ─▶ completed
 *       ▲              │ refused, or lost before a head
 *       └─── wait ◀────┘
 * }</pre>
 */
final class Attempts {

  private final Shared shared;
  private final Client client;
  private final ForwardedRequest request;
  private final Exchange exchange;
  private final Set<String> failedWorkers = new HashSet<>();
  private @Nullable AnswerCopy current;
  private @Nullable ScheduledFuture<?> retry;
  private int begun;
  private boolean hasHead;

  Attempts(Shared shared, Client client, ForwardedRequest request, Exchange exchange) {
    this.shared = shared;
    this.client = client;
    this.request = request;
    this.exchange = exchange;
  }

  /** Whether the client has the head of an answer. */
  boolean hasHead() {
    return hasHead;
  }

  /** Begins the first attempt, or another. */
  void next() {
    retry = null;
    final String traceParent = request.trace().beginAttempt();
    final Dispatch dispatch;
    try {
      dispatch = route();
    } catch (NoWorkerException e) {
      noWorker(e);
      return;
    }
    final Attempting attempt = new Attempting(shared, dispatch, request, traceParent);
    final AnswerCopy copy = new AnswerCopy(this, attempt, request, client);
    current = copy;
    begun++;
    copy.begin();
  }

  /** Prefers workers that did not fail this request yet. */
  private Dispatch route() {
    final RoutingRequest any = request.routing(begun, Set.of());
    return shared
        .workers()
        .route(
            failedWorkers.isEmpty()
                ? List.of(any)
                : List.of(request.routing(begun, failedWorkers), any));
  }

  private void noWorker(NoWorkerException none) {
    final Attempt over =
        new Attempt(
            none.decision(),
            request.receivedNs(),
            ABSENT,
            ABSENT,
            ABSENT,
            ABSENT,
            HostClock.nanoTime(),
            0,
            "no_worker",
            none.getMessage(),
            0);
    shared.attempts().onAttempt(over);
    request.trace().onAttempt(over);
    exchange.fail(
        new Failure(
            HttpResponseStatus.SERVICE_UNAVAILABLE,
            "no_worker",
            String.valueOf(none.getMessage())));
  }

  /** Whether an answer of this status is not passed on. */
  boolean mayTryAgain(int status) {
    return RetryOptions.isRetryable(status) && begun < shared.options().retry().attempts();
  }

  /** The worker's answer is the client's. */
  void answered() {
    hasHead = true;
  }

  /** The answer was passed on to its end. */
  void completed() {
    exchange.completed();
  }

  /** The attempt failed: another one, unless part of an answer was passed on. */
  void failed(String reason, Verdict verdict) {
    final AnswerCopy copy = giveUp();
    if (copy == null) {
      throw new IllegalStateException("an attempt must be under way: request=" + request.id());
    }
    final Attempting failed = copy.attempt();
    failed.failed(reason, verdict);
    final RetryOptions retries = shared.options().retry();
    if (!hasHead && begun < retries.attempts()) {
      failedWorkers.add(failed.backend().entry().id());
      final double random = ThreadLocalRandom.current().nextDouble();
      retry =
          client.loop().schedule(this::next, retries.waitNs(begun, random), TimeUnit.NANOSECONDS);
      return;
    }
    exchange.fail(
        new Failure(
            HttpResponseStatus.BAD_GATEWAY,
            "worker_failed",
            "the worker failed: worker="
                + failed.backend().entry().id()
                + ", attempts="
                + begun
                + ", reason="
                + reason));
  }

  private @Nullable AnswerCopy giveUp() {
    final AnswerCopy copy = current;
    current = null;
    if (copy != null) {
      copy.giveUp();
    }
    return copy;
  }

  void timedOut() {
    final AnswerCopy copy = giveUp();
    if (copy != null) {
      copy.attempt().timedOut();
    }
  }

  /** The client went away. */
  void cancelled() {
    final AnswerCopy copy = giveUp();
    if (copy != null) {
      copy.attempt().cancelled();
    }
  }

  /** Tries no more. */
  void end() {
    if (retry != null) {
      retry.cancel(false);
    }
  }

  /** The client takes more again. */
  void onWritable() {
    if (current != null) {
      current.onWritable();
    }
  }
}
