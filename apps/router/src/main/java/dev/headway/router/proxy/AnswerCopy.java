package dev.headway.router.proxy;

import dev.headway.http.client.ConnectionPool;
import dev.headway.http.client.Loss;
import dev.headway.http.client.Server;
import dev.headway.http.client.ServerConnection;
import dev.headway.router.resilience.CircuitBreaker.Verdict;
import dev.headway.routing.timing.TimingJson;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at one worker: its connection, and the answer, which is passed on as it comes. One
 * event loop.
 */
final class AnswerCopy implements ConnectionPool.Taker, ServerConnection.Reader {

  private final Attempts attempts;
  private final Attempting attempt;
  private final ForwardedRequest request;
  private final Client client;
  private final ConnectionPool pool;
  private final Server server;
  private @Nullable ServerConnection connection;
  private boolean isOver;

  AnswerCopy(Attempts attempts, Attempting attempt, ForwardedRequest request, Client client) {
    this.attempts = attempts;
    this.attempt = attempt;
    this.request = request;
    this.client = client;
    this.pool = client.pool();
    this.server = new Server(attempt.backend().entry().host(), attempt.backend().entry().port());
  }

  void begin() {
    pool.take(server, this);
  }

  Attempting attempt() {
    return attempt;
  }

  /** Is notified of nothing more; the worker sees its connection close. */
  void giveUp() {
    isOver = true;
    final ServerConnection current = connection;
    connection = null;
    if (current != null) {
      current.abandon();
    }
  }

  @Override
  public void onConnected(ServerConnection connected, boolean reused) {
    if (isOver) {
      connected.close();
      return;
    }
    connection = connected;
    attempt.sent();
    connected.begin(request.to(attempt), this, reused);
  }

  @Override
  public void onRefused(Throwable cause) {
    if (!isOver) {
      attempts.failed("cannot connect: " + cause.getMessage(), Verdict.LOST);
    }
  }

  @Override
  public void onHead(HttpResponse head) {
    final int status = head.status().code();
    attempt.head(status);
    if (attempts.mayTryAgain(status)) {
      attempts.failed(
          "the worker answered " + head.status(), status >= 500 ? Verdict.FAILURE : Verdict.NONE);
      return;
    }
    attempts.answered();
    if (status < 500) {
      attempt.answered();
    }
    request.giveUpBody();
    HeaderRules.removeHopByHop(head.headers());
    head.headers().set(HeaderRules.REQUEST_ID, request.id());
    if (request.prompt().wantsTiming) {
      head.headers().set(TimingJson.ROUTER_HEADER, TimingJson.write(attempt.timing()).toString());
    }
    client.head(head);
  }

  @Override
  public void onPart(ByteBuf part) {
    attempt.part(part);
    client.part(part.retain());
    if (!client.isWritable()) {
      reads(false);
    }
  }

  @Override
  public void onPause() {
    client.flush();
  }

  /** The client takes more again. */
  void onWritable() {
    reads(true);
  }

  private void reads(boolean value) {
    if (connection != null) {
      connection.reads(value);
    }
  }

  @Override
  public void onEnd() {
    connection = null;
    attempt.completed();
    attempts.completed();
  }

  @Override
  public void onLost(Loss loss) {
    connection = null;
    if (loss.wasStale()) {
      pool.connect(server, this); // the worker is not to blame
    } else {
      attempts.failed(reason(loss), Verdict.LOST);
    }
  }

  private static String reason(Loss loss) {
    return switch (loss.cause()) {
      case CLOSED -> "the worker closed the connection";
      case UNWRITABLE -> "the request could not be written: " + loss.detail();
      case MALFORMED -> "the worker's answer is no HTTP: " + loss.detail();
      case BROKEN -> "the connection to the worker failed: " + loss.detail();
    };
  }
}
