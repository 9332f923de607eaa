package dev.headway.http.server;

import dev.headway.http.BodyBudget;
import dev.headway.http.BrowserRules;
import dev.headway.http.HttpFailure;
import dev.headway.http.RequestRules;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;

/**
 * Collects the requests of a connection, within the time and the memory that they have. Those that
 * come before the answer to an earlier one wait for it. Event loop of the connection only.
 */
final class WholeRequests implements RequestReceiver {

  private static final int PARTS_BEFORE_COPYING = 1_024;
  private static final int MOST_AHEAD = 16;

  private final ClientConnection connection;
  private final Arrivals arrivals;
  private final AnswerWriter answers;
  private final EventLoopHandler handler;
  private final Deque<ReceivedRequest> ahead = new ArrayDeque<>();
  private boolean isServing;
  private boolean isEnding;

  WholeRequests(
      ClientConnection connection,
      Arrivals arrivals,
      Function<AnswerWriter, EventLoopHandler> handlers) {
    this.connection = connection;
    this.arrivals = arrivals;
    this.answers = new AnswerWriter(this, connection, arrivals.cors());
    this.handler = handlers.apply(answers);
  }

  /** A request whose head has come. */
  private final class Collected implements Body {

    private final HttpRequest head;
    private final CompositeByteBuf content =
        connection.channel().alloc().compositeBuffer(PARTS_BEFORE_COPYING);
    private final BodyBudget.Claim claim = arrivals.bodies().claim(connection.address());
    private final long lastNs;
    private long pauseUntilNs;

    Collected(HttpRequest head) {
      this.head = head;
      final long nowNs = System.nanoTime();
      lastNs = nowNs + arrivals.limits().bodyTimeout().toNanos();
      pauseUntilNs = nowNs + arrivals.limits().headTimeout().toNanos();
    }

    /** One timer for a body, however many parts it comes in. */
    void await() {
      final long leftNs = Math.min(pauseUntilNs, lastNs) - System.nanoTime();
      if (leftNs <= 0) {
        connection.refuse(new HttpFailure(408, "request_timeout", "the body must arrive in time"));
        return;
      }
      connection.deadline().runAfter(leftNs, this::await);
    }

    @Override
    public void onTurn() {
      if (RequestRules.expectsContinue(head)) {
        connection.sendContinue();
      }
    }

    @Override
    public void add(HttpContent part) throws HttpFailure {
      final int bytes = part.content().readableBytes();
      if (bytes > arrivals.maxBodyBytes() - content.readableBytes()) {
        throw RequestRules.tooLong(arrivals.maxBodyBytes());
      }
      claim.add(bytes);
      if (bytes > 0) {
        content.addComponent(true, part.content().retain());
      }
      pauseUntilNs = System.nanoTime() + arrivals.limits().headTimeout().toNanos();
    }

    @Override
    public void end() {
      receive(
          new ReceivedRequest(
              new DefaultFullHttpRequest(
                  head.protocolVersion(),
                  head.method(),
                  head.uri(),
                  content,
                  head.headers(),
                  EmptyHttpHeaders.INSTANCE),
              claim));
    }

    @Override
    public void fail(HttpFailure failure) {
      connection.refuse(failure);
    }

    @Override
    public void drop() {
      content.release();
      claim.close();
    }
  }

  @Override
  public void opened() {
    handler.opened();
  }

  @Override
  public void gone() {
    answers.endPatience();
    handler.gone();
    ahead.forEach(ReceivedRequest::release);
    ahead.clear();
  }

  @Override
  public boolean receivesAhead() {
    return true;
  }

  @Override
  public Body begin(HttpRequest head) throws HttpFailure {
    final HttpHeaders headers = head.headers();
    arrivals.browsers().requireHost(headers.get(HttpHeaderNames.HOST));
    if (head.method().equals(HttpMethod.POST)) {
      BrowserRules.requireNoSimpleType(
          headers.get(HttpHeaderNames.CONTENT_TYPE), headers.contains(HttpHeaderNames.ORIGIN));
    }
    RequestRules.requireLength(
        headers.get(HttpHeaderNames.CONTENT_LENGTH), arrivals.maxBodyBytes());
    final Collected begun = new Collected(head);
    begun.await();
    return begun;
  }

  private void receive(ReceivedRequest request) {
    if (!isServing && !isEnding && ahead.isEmpty()) {
      serve(request);
      return;
    }
    ahead.addLast(request);
    if (ahead.size() > MOST_AHEAD) {
      connection.cut();
    }
  }

  private void serve(ReceivedRequest request) {
    isServing = true;
    answers.answerTo(request.http());
    handler.handle(request);
  }

  /** The last part of an answer is on its way. */
  void answered(ChannelFuture written, boolean keepsAlive) {
    isServing = false;
    if (!keepsAlive) {
      isEnding = true;
      written.addListener(done -> connection.answered(false));
    } else if (ahead.isEmpty()) {
      connection.answered(true);
    } else {
      answers.loop().execute(this::serveNext); // not from inside the answer to the one before
    }
  }

  private void serveNext() {
    if (!isServing && !isEnding && connection.channel().isActive()) {
      final ReceivedRequest waiting = ahead.pollFirst();
      if (waiting != null) {
        serve(waiting);
      }
    }
  }

  /** Ends the connection, now if it answers nothing, else with the answer. */
  void closeIfIdle() {
    if (isServing) {
      answers.endConnection();
    } else {
      connection.cut();
    }
  }

  @Override
  public FullHttpResponse refusal(HttpFailure failure) {
    return handler.refusal(failure);
  }

  @Override
  public void writabilityChanged() {
    answers.writabilityChanged();
    if (answers.isWritable()) {
      handler.writable();
    }
  }

  @Override
  public boolean isToHead() {
    return answers.isToHead();
  }
}
