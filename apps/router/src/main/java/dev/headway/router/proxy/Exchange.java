package dev.headway.router.proxy;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.http.server.ReceivedRequest;
import dev.headway.router.admission.Admission;
import dev.headway.router.prompt.Tokenizing;
import dev.headway.router.record.Attempt;
import dev.headway.router.record.RequestTrace;
import dev.headway.router.record.RoutedRequest;
import dev.headway.router.registry.Dispatch;
import dev.headway.router.resilience.CircuitBreaker.Verdict;
import dev.headway.router.resilience.RetryOptions;
import dev.headway.routing.core.NoWorkerException;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.timing.HostClock;
import dev.headway.routing.timing.TimingJson;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request from its last byte to the end of its answer.
 *
 * <pre>{@code
 * admitted ─▶ worker chosen ─▶ sent ─▶ head ─▶ parts ─▶ end
 *                  ▲                    │ refused, or lost before a head
 *                  └────── wait ◀───────┘
 * }</pre>
 *
 * <p>On the event loop of the client's connection only. Whatever ends it, it ends once: the place
 * at the worker, in the breaker and at the door are given back.
 */
final class Exchange implements Upstream.Reader {

  private final Shared shared;
  private final Client client;
  private final UpstreamPool pool;
  private final EventLoop loop;
  private final ReceivedRequest received;
  private final FullHttpRequest request;
  private final String id;
  private final Prompt prompt;
  private final long receivedNs = HostClock.nanoTime();
  private final RequestTrace trace;
  private final Set<String> failedWorkers = new HashSet<>();
  private Admission.@Nullable Ticket ticket;
  private @Nullable Attempting attempt;
  private @Nullable Upstream upstream;
  private @Nullable ScheduledFuture<?> waitLimit;
  private @Nullable ScheduledFuture<?> timeLimit;
  private @Nullable ScheduledFuture<?> retry;
  private int attempts;
  private boolean hasHead;
  private boolean isBodyGivenUp;
  private boolean hasEnded;

  /** Takes the request, which is released at the end. */
  Exchange(
      Shared shared,
      Client client,
      UpstreamPool pool,
      EventLoop loop,
      ReceivedRequest received,
      Prompt prompt) {
    this.shared = shared;
    this.client = client;
    this.pool = pool;
    this.loop = loop;
    this.received = received;
    this.request = received.http();
    this.id = HeaderRules.requestId(request.headers());
    this.prompt = prompt;
    HeaderRules.removeHopByHop(request.headers());
    request.headers().remove(HttpHeaderNames.EXPECT);
    this.trace = shared.tracer().begin(request.headers().get(HeaderRules.TRACE_PARENT));
    if (!request.headers().contains(HeaderRules.TRACE_PARENT)) {
      request.headers().set(HeaderRules.TRACE_PARENT, HeaderRules.newTraceParent());
    }
  }

  String id() {
    return id;
  }

  void begin() {
    timeLimit =
        loop.schedule(
            this::timeOut, shared.options().requestTimeout().toNanos(), TimeUnit.NANOSECONDS);
    if (prompt.model != null && shared.workers().isUnknownModel(prompt.model)) {
      final String message = "no worker serves the model: model='" + prompt.model + "'";
      fail(new Failure(HttpResponseStatus.NOT_FOUND, "model_not_found", message));
      return;
    }
    final Admission.Ticket mine = shared.admission().enter(() -> loop.execute(this::admittedLater));
    ticket = mine;
    switch (mine.answer()) {
      case ADMITTED -> admitted();
      case WAITING ->
          waitLimit =
              loop.schedule(
                  this::waitedTooLong,
                  shared.admission().options().waitTimeout().toNanos(),
                  TimeUnit.NANOSECONDS);
      case ROOM_FULL -> {
        shared.metrics().refused("room_full");
        fail(
            new Failure(
                HttpResponseStatus.TOO_MANY_REQUESTS,
                "room_full",
                "too many requests are under way and waiting: maxConcurrent="
                    + shared.admission().options().maxConcurrent()
                    + ", waitingRoom="
                    + shared.admission().options().waitingRoom()));
      }
      case RATE -> {
        shared.metrics().refused("rate");
        fail(
            new Failure(
                HttpResponseStatus.TOO_MANY_REQUESTS,
                "rate_limited",
                "too many requests come: ratePerSecond="
                    + shared.admission().options().ratePerSecond()));
      }
    }
  }

  private void admittedLater() {
    if (waitLimit != null) {
      waitLimit.cancel(false);
    }
    if (!hasEnded) {
      admitted();
    }
  }

  private void admitted() {
    final Tokenizing tokenizing = shared.tokenizing();
    if (tokenizing == null || prompt.tokens != null || prompt.text == null) {
      attempt();
      return;
    }
    tokenizing.tokens(
        prompt.text,
        prompt.messages,
        tokens ->
            loop.execute(
                () -> {
                  prompt.tokens = tokens;
                  attempt();
                }));
  }

  private void waitedTooLong() {
    if (hasEnded || ticket == null || ticket.isInside()) {
      return;
    }
    shared.metrics().refused("wait_timeout");
    fail(
        new Failure(
            HttpResponseStatus.REQUEST_TIMEOUT,
            "wait_timeout",
            "the request waited too long to be admitted: waitTimeoutS="
                + shared.admission().options().waitTimeout().toSeconds()));
  }

  private void attempt() {
    retry = null;
    if (hasEnded) {
      return;
    }
    final String traceParent = trace.beginAttempt();
    final Dispatch dispatch;
    try {
      dispatch = route();
    } catch (NoWorkerException e) {
      noWorker(e);
      return;
    }
    final Attempting current =
        new Attempting(shared, dispatch, trace, traceParent, receivedNs, prompt.wantsTiming);
    attempt = current;
    attempts++;
    pool.take(current.backend().entry(), taker(current));
  }

  private void noWorker(NoWorkerException none) {
    final Attempt over =
        new Attempt(
            none.decision(),
            receivedNs,
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
    trace.onAttempt(over);
    fail(
        new Failure(
            HttpResponseStatus.SERVICE_UNAVAILABLE,
            "no_worker",
            String.valueOf(none.getMessage())));
  }

  /** Prefers workers that did not fail this request yet. */
  private Dispatch route() {
    final RoutingRequest any = routingRequest(Set.of());
    return shared
        .workers()
        .route(
            failedWorkers.isEmpty() ? List.of(any) : List.of(routingRequest(failedWorkers), any));
  }

  private RoutingRequest routingRequest(Set<String> excluded) {
    final String key = HeaderRules.routingKey(request.headers());
    final RoutingRequest.Builder builder =
        RoutingRequest.builder(id)
            .model(prompt.model)
            .maxTokens(prompt.maxTokens)
            .priority(prompt.priority)
            .routingKey(key == null ? prompt.user : key)
            .targetWorker(HeaderRules.targetWorker(request.headers()))
            .attempt(attempts)
            .excluded(excluded)
            .nowNs(HostClock.nanoTime());
    if (prompt.tokens != null) {
      builder.tokens(prompt.tokens);
    } else {
      builder.text(prompt.text);
    }
    return builder.build();
  }

  private UpstreamPool.Taker taker(Attempting current) {
    return new UpstreamPool.Taker() {
      @Override
      public void onConnected(Upstream connected, boolean reused) {
        if (hasEnded || attempt != current) {
          connected.close();
          return;
        }
        upstream = connected;
        current.sent();
        connected.begin(requestFor(current), Exchange.this, reused);
      }

      @Override
      public void onRefused(String reason) {
        if (!hasEnded && attempt == current) {
          again(reason, Verdict.LOST);
        }
      }
    };
  }

  private FullHttpRequest requestFor(Attempting current) {
    final HttpHeaders headers = request.headers().copy();
    headers.set(HttpHeaderNames.HOST, current.backend().entry().authority());
    headers.set(HeaderRules.REQUEST_ID, id);
    if (current.traceParent() != null) {
      headers.set(HeaderRules.TRACE_PARENT, current.traceParent());
    }
    final ByteBuf body = request.content();
    if (body.isReadable() || !request.method().equals(HttpMethod.GET)) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
    }
    if (shared.options().workerKey() != null) {
      headers.set(HttpHeaderNames.AUTHORIZATION, "Bearer " + shared.options().workerKey());
    }
    return new DefaultFullHttpRequest(
        HttpVersion.HTTP_1_1,
        request.method(),
        request.uri(),
        body.retainedDuplicate(),
        headers,
        EmptyHttpHeaders.INSTANCE);
  }

  @Override
  public void onHead(HttpResponse head) {
    final Attempting current = current();
    current.head(head.status().code());
    final int status = head.status().code();
    if (RetryOptions.isRetryable(status) && attempts < shared.options().retry().attempts()) {
      giveUpConnection();
      again("the worker answered " + head.status(), status >= 500 ? Verdict.FAILURE : Verdict.NONE);
      return;
    }
    hasHead = true;
    if (status < 500) {
      current.answered();
    }
    giveUpBody(); // no other worker will be asked
    HeaderRules.removeHopByHop(head.headers());
    head.headers().set(HeaderRules.REQUEST_ID, id);
    if (prompt.wantsTiming) {
      head.headers().set(TimingJson.ROUTER_HEADER, TimingJson.write(current.timing()).toString());
    }
    client.head(head);
  }

  @Override
  public void onPart(ByteBuf part) {
    current().part(part);
    client.part(part.retain());
    if (!client.isWritable() && upstream != null) {
      upstream.reads(false);
    }
  }

  @Override
  public void onPause() {
    client.flush();
  }

  /** The client takes more again. */
  void onWritable() {
    if (upstream != null) {
      upstream.reads(true);
    }
  }

  @Override
  public void onEnd() {
    upstream = null;
    final Attempting current = current();
    current.completed();
    finish(client.status(), null);
    client.end();
  }

  @Override
  public void onLost(String reason, boolean wasReused) {
    upstream = null;
    final Attempting current = current();
    if (wasReused && !hasHead) {
      // it had been closed, or was just then, for want of use: the worker is not to blame
      pool.connect(current.backend().entry(), taker(current));
    } else {
      again(reason, Verdict.LOST);
    }
  }

  private Attempting current() {
    if (attempt == null) {
      throw new IllegalStateException("an attempt must be under way: request=" + id);
    }
    return attempt;
  }

  /** The attempt failed: another one, unless part of an answer was passed on. */
  private void again(String reason, Verdict verdict) {
    final Attempting failed = current();
    attempt = null;
    failed.failed(reason, verdict);
    final RetryOptions retries = shared.options().retry();
    if (!hasHead && attempts < retries.attempts()) {
      failedWorkers.add(failed.backend().entry().id());
      final double random = ThreadLocalRandom.current().nextDouble();
      retry = loop.schedule(this::attempt, retries.waitNs(attempts, random), TimeUnit.NANOSECONDS);
      return;
    }
    fail(
        new Failure(
            HttpResponseStatus.BAD_GATEWAY,
            "worker_failed",
            "the worker failed: worker="
                + failed.backend().entry().id()
                + ", attempts="
                + attempts
                + ", reason="
                + reason));
  }

  private void timeOut() {
    if (hasEnded) {
      return;
    }
    if (attempt != null) {
      attempt.timedOut();
    }
    giveUpConnection();
    fail(
        new Failure(
            HttpResponseStatus.GATEWAY_TIMEOUT,
            "timeout",
            "the request took longer than allowed: timeoutS="
                + shared.options().requestTimeout().toSeconds()));
  }

  private void fail(Failure failure) {
    finish(hasHead ? client.status() : failure.status().code(), failure.code());
    client.fail(failure, id, hasHead);
  }

  /** The client went away. */
  void cancel() {
    if (hasEnded) {
      return;
    }
    giveUpConnection();
    if (attempt != null) {
      attempt.cancelled();
    }
    finish(Client.GONE, RoutedRequest.CLIENT_GONE);
  }

  private void giveUpConnection() {
    final Upstream current = upstream;
    upstream = null;
    if (current != null) {
      current.abandon();
    }
  }

  private void giveUpBody() {
    if (!isBodyGivenUp) {
      isBodyGivenUp = true;
      received.release();
    }
  }

  private void finish(int status, @Nullable String failure) {
    hasEnded = true;
    if (timeLimit != null) {
      timeLimit.cancel(false);
    }
    if (waitLimit != null) {
      waitLimit.cancel(false);
    }
    if (retry != null) {
      retry.cancel(false);
    }
    giveUpBody();
    if (ticket != null) {
      ticket.leave();
    }
    final long endedNs = HostClock.nanoTime();
    shared.metrics().ended(status, endedNs - receivedNs);
    trace.onEnd(
        new RoutedRequest(
            id,
            request.method().name(),
            path(),
            prompt.model,
            prompt.maxTokens,
            receivedNs,
            endedNs,
            status,
            failure));
  }

  private String path() {
    final int query = request.uri().indexOf('?');
    return query < 0 ? request.uri() : request.uri().substring(0, query);
  }
}
