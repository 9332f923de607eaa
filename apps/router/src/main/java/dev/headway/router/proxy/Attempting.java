package dev.headway.router.proxy;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.router.record.Attempt;
import dev.headway.router.record.RequestTrace;
import dev.headway.router.registry.Backend;
import dev.headway.router.registry.Dispatch;
import dev.headway.router.resilience.CircuitBreaker.Verdict;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingOutcome;
import dev.headway.routing.timing.HostClock;
import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.RouterTiming;
import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimingStage;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** An attempt under way: where it is, when what happened, and its end, which comes once. */
final class Attempting {

  private final Shared shared;
  private final Dispatch dispatch;
  private final RequestTrace trace;
  private final @Nullable String traceParent;
  private final long receivedNs;
  private final long pickedNs;
  private final @Nullable TimingTail tail;
  private long sentNs = ABSENT;
  private long headNs = ABSENT;
  private long firstNs = ABSENT;
  private int status;
  private long bytes;

  /** Begins; {@code traceParent} is the worker's, null for the one that the request has. */
  Attempting(
      Shared shared, Dispatch dispatch, ForwardedRequest request, @Nullable String traceParent) {
    this.shared = shared;
    this.dispatch = dispatch;
    this.trace = request.trace();
    this.traceParent = traceParent;
    this.receivedNs = request.receivedNs();
    this.pickedNs = HostClock.nanoTime();
    this.tail = request.prompt().wantsTiming ? new TimingTail() : null;
    shared
        .metrics()
        .attempt(decision().request().attempt(), pickedNs - receivedNs, decision().costNs());
  }

  Backend backend() {
    return dispatch.backend();
  }

  @Nullable String traceParent() {
    return traceParent;
  }

  private RoutingDecision decision() {
    return dispatch.lease().decision();
  }

  void sent() {
    sentNs = HostClock.nanoTime();
  }

  void head(int answered) {
    headNs = HostClock.nanoTime();
    status = answered;
  }

  /** The worker is there and at work. */
  void answered() {
    dispatch.answered();
  }

  void part(ByteBuf part) {
    if (firstNs == ABSENT) {
      firstNs = HostClock.nanoTime();
      shared.metrics().firstByte(firstNs - receivedNs);
      dispatch.lease().firstToken();
    }
    bytes += part.readableBytes();
    if (tail != null) {
      tail.add(part);
    }
  }

  /** What is sent to the client about it. */
  RouterTiming timing() {
    final RoutingDecision decision = decision();
    final int place = decision.chosen();
    return new RouterTiming(
        HostClock.id(),
        new RequestTiming()
            .set(TimingStage.ROUTER_RECEIVED, receivedNs)
            .set(TimingStage.ROUTER_PICKED, pickedNs)
            .set(TimingStage.TO_SERVER, sentNs),
        headNs,
        backend().entry().id(),
        backend().entry().url().toString(),
        decision.policy(),
        decision.branch().label(),
        decision.candidates(),
        decision.request().attempt(),
        decision.costNs(),
        decision.load(place),
        decision.minLoad(),
        decision.maxLoad(),
        decision.promptUnits(),
        decision.matchedUnits(place),
        backend().clockOffset(HostClock.id()));
  }

  void completed() {
    learnClock();
    end(RoutingOutcome.COMPLETED, status >= 500 ? Verdict.FAILURE : Verdict.SUCCESS, null);
  }

  void failed(String reason, Verdict verdict) {
    end(RoutingOutcome.FAILED, verdict, reason);
  }

  void cancelled() {
    end(RoutingOutcome.CANCELLED, Verdict.NONE, "the client went away");
  }

  void timedOut() {
    end(RoutingOutcome.TIMED_OUT, Verdict.FAILURE, "the request took longer than allowed");
  }

  private void end(RoutingOutcome outcome, Verdict verdict, @Nullable String reason) {
    if (!dispatch.ended(outcome, verdict)) {
      return;
    }
    shared.metrics().attemptEnded(backend().entry().id(), outcome.label());
    final Attempt over =
        new Attempt(
            decision(),
            receivedNs,
            pickedNs,
            sentNs,
            headNs,
            firstNs,
            HostClock.nanoTime(),
            status,
            outcome.label(),
            reason,
            bytes);
    shared.attempts().onAttempt(over);
    trace.onAttempt(over);
  }

  private void learnClock() {
    final ServerTiming server = tail == null ? null : tail.timing();
    if (server == null
        || firstNs == ABSENT
        || !server.at().has(TimingStage.SERVER_RECEIVED)
        || !server.at().has(TimingStage.FIRST_SENT)) {
      return;
    }
    backend()
        .learnClock(
            server.clock(),
            sentNs,
            server.at().ns(TimingStage.SERVER_RECEIVED),
            server.at().ns(TimingStage.FIRST_SENT),
            firstNs);
  }
}
