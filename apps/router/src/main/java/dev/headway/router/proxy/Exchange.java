package dev.headway.router.proxy;

import dev.headway.http.server.ReceivedRequest;
import dev.headway.router.record.RoutedRequest;
import dev.headway.routing.timing.HostClock;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request from its last byte to the end of its answer.
 *
 * <pre>{@code
 * Entrance ─▶ Attempts ─▶ end
 * }</pre>
 *
 * <p>On the event loop of the client's connection only. Whatever ends it, it ends once: the place
 * at the worker, in the breaker and at the door are given back.
 */
final class Exchange {

  private final Shared shared;
  private final Client client;
  private final EventLoop loop;
  private final ForwardedRequest request;
  private final Entrance entrance;
  private final Attempts attempts;
  private @Nullable ScheduledFuture<?> timeLimit;
  private boolean hasEnded;

  /** Takes the request, which is released at the end. */
  Exchange(Shared shared, Client client, ReceivedRequest received, Prompt prompt) {
    this.shared = shared;
    this.client = client;
    this.loop = client.loop();
    this.request = new ForwardedRequest(received, prompt, shared);
    this.attempts = new Attempts(shared, client, request, this);
    this.entrance = new Entrance(shared, loop, prompt, attempts::next, this::fail);
  }

  void begin() {
    timeLimit =
        loop.schedule(
            this::timeOut, shared.options().requestTimeout().toNanos(), TimeUnit.NANOSECONDS);
    final String model = request.prompt().model;
    if (model != null && shared.workers().isUnknownModel(model)) {
      final String message = "no worker serves the model: model='" + model + "'";
      fail(new Failure(HttpResponseStatus.NOT_FOUND, "model_not_found", message));
      return;
    }
    entrance.enter();
  }

  /** The client takes more again. */
  void onWritable() {
    attempts.onWritable();
  }

  /** The answer was passed on to its end. */
  void completed() {
    finish(client.status(), null);
    client.end();
  }

  private void timeOut() {
    if (hasEnded) {
      return;
    }
    attempts.timedOut();
    fail(
        new Failure(
            HttpResponseStatus.GATEWAY_TIMEOUT,
            "timeout",
            "the request took longer than allowed: timeoutS="
                + shared.options().requestTimeout().toSeconds()));
  }

  /** There is no answer of a worker, or only the beginning of one. */
  void fail(Failure failure) {
    final boolean hasHead = attempts.hasHead();
    finish(hasHead ? client.status() : failure.status().code(), failure.code());
    client.fail(failure, request.id(), hasHead);
  }

  /** The client went away. */
  void cancel() {
    if (!hasEnded) {
      attempts.cancelled();
      finish(Client.GONE, RoutedRequest.CLIENT_GONE);
    }
  }

  private void finish(int status, @Nullable String failure) {
    hasEnded = true;
    if (timeLimit != null) {
      timeLimit.cancel(false);
    }
    attempts.end();
    request.giveUpBody();
    entrance.leave();
    final long endedNs = HostClock.nanoTime();
    shared.metrics().ended(status, endedNs - request.receivedNs());
    request.trace().onEnd(request.ended(endedNs, status, failure));
  }
}
