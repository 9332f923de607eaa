package dev.headway.router.proxy;

import dev.headway.http.ApiKeys;
import dev.headway.http.BodyBudget;
import dev.headway.http.Cors;
import dev.headway.http.HttpFailure;
import dev.headway.http.client.ConnectionPool;
import dev.headway.http.server.AnswerWriter;
import dev.headway.http.server.EventLoopHandler;
import dev.headway.http.server.ReceivedRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client: what it asks for is answered here, refused, or passed on. The event loop of its
 * connection only.
 */
final class Client implements EventLoopHandler {

  /** What is counted for a client that went away. */
  static final int GONE = 499;

  private static final String EVENT_STREAM = "text/event-stream";

  private final Shared shared;
  private final AnswerWriter answers;
  private final ConnectionPool pool;
  private final BooleanSupplier isDraining;
  private @Nullable Exchange exchange;
  private boolean isEventStream;

  Client(Shared shared, AnswerWriter answers, ConnectionPool pool, BooleanSupplier isDraining) {
    this.shared = shared;
    this.answers = answers;
    this.pool = pool;
    this.isDraining = isDraining;
  }

  @Override
  public void opened() {
    shared.metrics().client(1);
  }

  @Override
  public void gone() {
    shared.metrics().client(-1);
    final Exchange current = exchange;
    exchange = null;
    if (current != null) {
      current.cancel();
    }
  }

  @Override
  public FullHttpResponse refusal(HttpFailure failure) {
    shared.metrics().refused(failure.code());
    return Failure.of(failure).answer(answers.buffers());
  }

  @Override
  public void handle(ReceivedRequest received) {
    final FullHttpRequest request = received.http();
    if (isDraining.getAsBoolean()) {
      answers.endConnection();
    }
    final FullHttpResponse local = local(request);
    if (local != null) {
      received.release();
      answers.send(local);
      return;
    }
    final Prompt prompt;
    try {
      prompt = prompt(request);
    } catch (HttpFailure failure) {
      received.release();
      answers.send(refusal(failure));
      return;
    }
    final Exchange made = new Exchange(shared, this, received, prompt);
    exchange = made;
    made.begin();
  }

  /** Trees are made of some of it: their memory must be had before there is one. */
  private Prompt prompt(FullHttpRequest request) throws HttpFailure {
    if (!request.method().equals(HttpMethod.POST)) {
      return Prompt.NOTHING;
    }
    final byte[] body = ByteBufUtil.getBytes(request.content());
    try (BodyBudget.Claim trees = shared.arrivals().bodies().claim(answers.address())) {
      trees.add(Prompt.treeBytes(body));
      return Prompt.read(body);
    }
  }

  private @Nullable FullHttpResponse local(FullHttpRequest request) {
    final HttpHeaders asked = request.headers();
    final Cors cors = shared.arrivals().cors();
    if (cors.isPreflight(request.method().name(), asked::get)) {
      final FullHttpResponse allowed =
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.NO_CONTENT);
      cors.allow(asked::get, allowed.headers()::set);
      return allowed;
    }
    if (shared.local().needsKey(request) && !hasKey(request)) {
      return new Failure(
              HttpResponseStatus.UNAUTHORIZED,
              "invalid_api_key",
              "the key must be sent as Authorization: Bearer KEY")
          .answer(answers.buffers());
    }
    final FullHttpResponse local = shared.local().answer(request);
    if (local != null) {
      return local;
    }
    if (isDraining.getAsBoolean()) {
      return new Failure(
              HttpResponseStatus.SERVICE_UNAVAILABLE,
              "draining",
              "the router is draining and takes no more requests")
          .answer(answers.buffers());
    }
    return null;
  }

  private boolean hasKey(FullHttpRequest request) {
    final ApiKeys keys = shared.options().clients().keys();
    return keys.isEmpty()
        || keys.keyOf(request.headers().get(HttpHeaderNames.AUTHORIZATION)) != null;
  }

  EventLoop loop() {
    return answers.loop();
  }

  /** Connections to workers, of the same event loop. */
  ConnectionPool pool() {
    return pool;
  }

  /** Status that was sent to the client last. */
  int status() {
    return answers.status();
  }

  boolean isWritable() {
    return answers.isWritable();
  }

  /** Begins an answer. */
  void head(HttpResponse head) {
    isEventStream =
        head.headers()
            .get(HttpHeaderNames.CONTENT_TYPE, "")
            .regionMatches(true, 0, EVENT_STREAM, 0, EVENT_STREAM.length());
    answers.head(head);
  }

  /** Passes a part on, which this owns. */
  void part(ByteBuf part) {
    answers.part(part);
  }

  void flush() {
    answers.flush();
  }

  /** The answer is whole. */
  void end() {
    exchange = null;
    answers.end();
  }

  /** There is no answer of a worker, or only the beginning of one. */
  void fail(Failure failure, String requestId, boolean hasHead) {
    exchange = null;
    if (!hasHead) {
      final FullHttpResponse answer = failure.answer(answers.buffers());
      answer.headers().set(HeaderRules.REQUEST_ID, requestId);
      answers.send(answer);
    } else if (isEventStream && answers.canEndEarly()) {
      final String event = "\n\ndata: " + failure.json() + "\n\n";
      answers.part(Unpooled.copiedBuffer(event, StandardCharsets.UTF_8));
      answers.end();
    } else {
      answers.cut();
    }
  }

  @Override
  public void writable() {
    if (exchange != null) {
      exchange.onWritable();
    }
  }
}
