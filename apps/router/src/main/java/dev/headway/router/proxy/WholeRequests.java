package dev.headway.router.proxy;

import dev.headway.http.BodyBudget;
import dev.headway.http.BrowserRules;
import dev.headway.http.ConnectionDeadline;
import dev.headway.http.ConnectionLimits;
import dev.headway.http.ConnectionTable;
import dev.headway.http.HeadWatch;
import dev.headway.http.HttpFailure;
import dev.headway.http.LingeringClose;
import dev.headway.http.RequestRules;
import dev.headway.router.metrics.RouterMetrics;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Collects the requests of a connection, within the time and the memory that they have. What is no
 * request is answered, and the connection ends. Its event loop, but for {@link #evict} and {@link
 * #address}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails closes the connection, which is seen
final class WholeRequests extends ChannelInboundHandlerAdapter
    implements ConnectionTable.Member, HeadWatch.Listener {

  private static final int PARTS_BEFORE_COPYING = 1_024;

  private final Arrivals arrivals;
  private final RouterMetrics metrics;
  private final SocketChannel channel;
  private final ConnectionLimits limits;
  private final HeadWatch watch = new HeadWatch(this);
  private @Nullable InetAddress address;
  private @Nullable Partial partial;
  private final ConnectionDeadline deadline;
  private boolean isServing;
  private boolean isClosing;

  /** A request whose head has come. */
  private record Partial(
      HttpRequest head, CompositeByteBuf body, BodyBudget.Claim claim, long lastNs) {
    void release() {
      body.release();
      claim.close();
    }
  }

  private long pauseUntilNs;

  WholeRequests(Arrivals arrivals, RouterMetrics metrics, SocketChannel channel) {
    this.arrivals = arrivals;
    this.metrics = metrics;
    this.channel = channel;
    deadline = new ConnectionDeadline(channel);
    this.limits = arrivals.rules().connections();
  }

  HeadWatch watch() {
    return watch;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    address = channel.remoteAddress() == null ? null : channel.remoteAddress().getAddress();
    if (address == null || !arrivals.table().opened(this)) {
      channel.close();
      return;
    }
    deadline.closeAfter(limits.headTimeout());
    context.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    deadline.cancel();
    drop();
    if (address != null) {
      arrivals.table().closed(this);
    }
    context.fireChannelInactive();
  }

  /** What was asked for is answered: the next request may come. */
  void answered() {
    isServing = false;
    arrivals.table().receiving(this);
    if (partial == null) {
      watch.expectHead();
      deadline.closeAfter(limits.idleTimeout());
    } else if (RequestRules.expectsContinue(partial.head())) {
      sendContinue();
    }
  }

  @Override
  public void headBegins() {
    if (!isServing && !isClosing && partial == null) {
      deadline.closeAfter(limits.headTimeout());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      if (!isClosing && message instanceof HttpRequest head) {
        begin(head);
      }
      if (!isClosing && partial != null && message instanceof HttpContent part) {
        add(context, partial, part);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void begin(HttpRequest head) {
    watch.headEnds();
    try {
      RequestRules.require(head);
      requireOwn(head);
    } catch (HttpFailure failure) {
      refuse(failure);
      return;
    }
    final long nowNs = System.nanoTime();
    partial =
        new Partial(
            head,
            channel.alloc().compositeBuffer(PARTS_BEFORE_COPYING),
            arrivals.bodies().claim(address()),
            nowNs + limits.bodyTimeout().toNanos());
    pauseUntilNs = nowNs + limits.headTimeout().toNanos();
    awaitBody();
    if (!isServing && RequestRules.expectsContinue(head)) {
      sendContinue();
    }
  }

  private void requireOwn(HttpRequest head) throws HttpFailure {
    final HttpHeaders headers = head.headers();
    arrivals.browsers().requireHost(headers.get(HttpHeaderNames.HOST));
    if (head.method().equals(HttpMethod.POST)) {
      BrowserRules.requireNoSimpleType(
          headers.get(HttpHeaderNames.CONTENT_TYPE), headers.contains(HttpHeaderNames.ORIGIN));
    }
    final String length = headers.get(HttpHeaderNames.CONTENT_LENGTH);
    if (length != null
        && (length.length() > 10 || Long.parseLong(length) > arrivals.rules().maxBodyBytes())) {
      throw tooLong();
    }
  }

  private HttpFailure tooLong() {
    return new HttpFailure(
        413,
        "body_too_large",
        "the body must not be longer than maxBodyBytes=" + arrivals.rules().maxBodyBytes());
  }

  private void sendContinue() {
    channel.writeAndFlush(
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
  }

  private void add(ChannelHandlerContext context, Partial current, HttpContent part) {
    try {
      RequestRules.requireDecoded(part.decoderResult());
      final int bytes = part.content().readableBytes();
      if (bytes > arrivals.rules().maxBodyBytes() - current.body().readableBytes()) {
        throw tooLong();
      }
      current.claim().add(bytes);
      if (bytes > 0) {
        current.body().addComponent(true, part.content().retain());
      }
    } catch (HttpFailure failure) {
      refuse(failure);
      return;
    }
    if (part instanceof LastHttpContent) {
      whole(context, current);
    } else {
      pauseUntilNs = System.nanoTime() + limits.headTimeout().toNanos();
    }
  }

  private void whole(ChannelHandlerContext context, Partial current) {
    partial = null;
    isServing = true;
    deadline.cancel();
    arrivals.table().received(this);
    final HttpRequest head = current.head();
    context.fireChannelRead(
        new ReceivedRequest(
            new DefaultFullHttpRequest(
                head.protocolVersion(),
                head.method(),
                head.uri(),
                current.body(),
                head.headers(),
                EmptyHttpHeaders.INSTANCE),
            current.claim()));
  }

  /** One timer for a body, however many parts it comes in. */
  private void awaitBody() {
    final Partial current = partial;
    if (current == null) {
      return;
    }
    final long leftNs = Math.min(pauseUntilNs, current.lastNs()) - System.nanoTime();
    if (leftNs <= 0) {
      refuse(new HttpFailure(408, "request_timeout", "the body must arrive in time"));
      return;
    }
    deadline.runAfter(leftNs, this::awaitBody);
  }

  @Override
  public void refuse(HttpFailure failure) {
    deadline.cancel();
    drop();
    if (isServing || isClosing) {
      channel.close(); // answers come in the order of their requests, or not at all
      return;
    }
    metrics.refused(failure.code());
    isClosing = true;
    final DefaultFullHttpResponse answer =
        new Failure(
                HttpResponseStatus.valueOf(failure.status()),
                failure.code(),
                String.valueOf(failure.getMessage()))
            .answer(channel.alloc());
    answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    channel.writeAndFlush(answer);
    arrivals.table().receiving(this); // leaves before others
    LingeringClose.begin(channel);
  }

  private void drop() {
    if (partial != null) {
      partial.release();
      partial = null;
    }
  }

  @Override
  public InetAddress address() {
    if (address == null) {
      throw new IllegalStateException("a connection must be open to have an address");
    }
    return address;
  }

  @Override
  public void evict() {
    channel.close();
  }
}
