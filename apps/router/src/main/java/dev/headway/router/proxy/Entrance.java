package dev.headway.router.proxy;

import dev.headway.router.admission.Admission;
import dev.headway.router.prompt.Tokenizing;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The way of a request to its admission, and to the tokens of its prompt. One event loop. */
final class Entrance {

  private final Shared shared;
  private final EventLoop loop;
  private final Prompt prompt;
  private final Runnable onAdmitted;
  private final Consumer<Failure> onRefused;
  private Admission.@Nullable Ticket ticket;
  private @Nullable ScheduledFuture<?> waitLimit;
  private boolean hasLeft;

  /**
   * Notifies of one of these, and of nothing once the request has left.
   *
   * @param onAdmitted it may be sent to a worker
   * @param onRefused there is no place for it
   */
  Entrance(
      Shared shared,
      EventLoop loop,
      Prompt prompt,
      Runnable onAdmitted,
      Consumer<Failure> onRefused) {
    this.shared = shared;
    this.loop = loop;
    this.prompt = prompt;
    this.onAdmitted = onAdmitted;
    this.onRefused = onRefused;
  }

  void enter() {
    final Admission.Ticket mine = shared.admission().enter(() -> loop.execute(this::admittedLater));
    ticket = mine;
    switch (mine.answer()) {
      case ADMITTED -> tokenize();
      case WAITING ->
          waitLimit =
              loop.schedule(
                  this::waitedTooLong,
                  shared.admission().options().waitTimeout().toNanos(),
                  TimeUnit.NANOSECONDS);
      case ROOM_FULL ->
          refuse(
              "room_full",
              HttpResponseStatus.TOO_MANY_REQUESTS,
              "room_full",
              "too many requests are under way and waiting: maxConcurrent="
                  + shared.admission().options().maxConcurrent()
                  + ", waitingRoom="
                  + shared.admission().options().waitingRoom());
      case RATE ->
          refuse(
              "rate",
              HttpResponseStatus.TOO_MANY_REQUESTS,
              "rate_limited",
              "too many requests come: ratePerSecond="
                  + shared.admission().options().ratePerSecond());
    }
  }

  private void admittedLater() {
    if (waitLimit != null) {
      waitLimit.cancel(false);
    }
    if (!hasLeft) {
      tokenize();
    }
  }

  private void tokenize() {
    final Tokenizing tokenizing = shared.tokenizing();
    if (tokenizing == null || prompt.tokens != null || prompt.text == null) {
      onAdmitted.run();
      return;
    }
    tokenizing.tokens(
        prompt.text, prompt.messages, tokens -> loop.execute(() -> tokenized(tokens)));
  }

  private void tokenized(int @Nullable [] tokens) {
    prompt.tokens = tokens;
    if (!hasLeft) {
      onAdmitted.run();
    }
  }

  private void waitedTooLong() {
    if (hasLeft || ticket == null || ticket.isInside()) {
      return;
    }
    refuse(
        "wait_timeout",
        HttpResponseStatus.REQUEST_TIMEOUT,
        "wait_timeout",
        "the request waited too long to be admitted: waitTimeoutS="
            + shared.admission().options().waitTimeout().toSeconds());
  }

  private void refuse(String counted, HttpResponseStatus status, String code, String message) {
    shared.metrics().refused(counted);
    onRefused.accept(new Failure(status, code, message));
  }

  /** Gives its place back, wherever it is; once. */
  void leave() {
    hasLeft = true;
    if (waitLimit != null) {
      waitLimit.cancel(false);
    }
    if (ticket != null) {
      ticket.leave();
    }
  }
}
