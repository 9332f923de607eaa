package dev.headway.server.http;

import dev.headway.http.ConnectionDeadline;
import dev.headway.http.ConnectionTable;
import dev.headway.http.HeadWatch;
import dev.headway.http.HttpFailure;
import dev.headway.http.LingeringClose;
import dev.headway.http.RequestRules;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection: one request after the other, each answered on a thread of its own. What
 * comes before the answer to an earlier request waits, up to a bound. Its event loop, but where a
 * method says otherwise.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails closes the connection, which is seen
final class Connection extends ChannelInboundHandlerAdapter
    implements ConnectionTable.Member, HeadWatch.Listener {

  private static final int MAX_BYTES_AHEAD = 64 << 10;
  private static final int MAX_PARTS_AHEAD = 64;

  private final HttpListener.Shared shared;
  private final SocketChannel channel;
  private final HeadWatch watch = new HeadWatch(this);
  private final Deque<HttpObject> ahead = new ArrayDeque<>();
  private int bytesAhead;
  private @Nullable InetAddress address;
  private @Nullable ServerExchange exchange;
  private boolean hasStarted;
  private final ConnectionDeadline deadline;
  private boolean isClosing;

  Connection(HttpListener.Shared shared, SocketChannel channel) {
    this.shared = shared;
    this.channel = channel;
    deadline = new ConnectionDeadline(channel);
  }

  HeadWatch watch() {
    return watch;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    final InetSocketAddress remote = remoteAddress();
    address = remote == null ? null : remote.getAddress();
    if (address == null || !shared.table().opened(this)) {
      channel.close();
      return;
    }
    deadline.closeAfter(shared.limits().headTimeout());
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    deadline.cancel();
    final ServerExchange current = exchange;
    exchange = null;
    if (current != null) {
      current.gone();
    }
    if (address != null) {
      shared.table().closed(this);
    }
    ahead.forEach(ReferenceCountUtil::release);
    ahead.clear();
  }

  @Override
  public void headBegins() {
    if (exchange == null && !isClosing) {
      deadline.closeAfter(shared.limits().headTimeout());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (isClosing || !(message instanceof HttpObject part)) {
      ReferenceCountUtil.release(message);
    } else if (isOfAnEarlierRequest(part)) {
      take(part);
    } else {
      keep(part);
    }
  }

  private boolean isOfAnEarlierRequest(HttpObject part) {
    return ahead.isEmpty()
        && (exchange == null
            || (!(part instanceof HttpRequest) && !exchange.requestBody().isEnded()));
  }

  private void keep(HttpObject part) {
    ahead.addLast(part);
    bytesAhead += part instanceof HttpContent content ? content.content().readableBytes() : 0;
    if (bytesAhead > MAX_BYTES_AHEAD || ahead.size() > MAX_PARTS_AHEAD) {
      channel.close();
    }
  }

  private void take(HttpObject part) {
    try {
      if (part instanceof HttpRequest request) {
        begin(request);
      }
      if (part instanceof HttpContent content && exchange != null) {
        content(exchange, content);
      }
    } finally {
      ReferenceCountUtil.release(part);
    }
  }

  private void begin(HttpRequest request) {
    deadline.cancel();
    watch.headEnds();
    final RequestHead head;
    try {
      head = RequestHead.of(request);
    } catch (HttpFailure failure) {
      refuse(failure);
      return;
    }
    final RequestBody body =
        new RequestBody(
            isOpen -> channel.config().setAutoRead(isOpen),
            head.expectsContinue() ? this::sendContinue : () -> {},
            shared.limits().bodyTimeout(),
            shared.limits().headTimeout());
    final ServerExchange made =
        new ServerExchange(this, head, body, shared.limits().writeTimeout().toNanos());
    exchange = made;
    hasStarted = false;
  }

  /** Only once what came with the head was taken: without a body the request is whole then. */
  private void start() {
    final ServerExchange made = exchange;
    if (made == null || hasStarted) {
      return;
    }
    hasStarted = true;
    try {
      shared.threads().execute(() -> shared.handler().handle(made));
    } catch (RejectedExecutionException e) {
      channel.close(); // the server ends
    }
  }

  private void content(ServerExchange current, HttpContent content) {
    try {
      RequestRules.requireDecoded(content.decoderResult());
    } catch (HttpFailure failure) {
      current.requestBody().fail(failure);
      return;
    }
    if (content.content().isReadable()) {
      current.requestBody().offer(ByteBufUtil.getBytes(content.content()));
    }
    if (content instanceof LastHttpContent) {
      shared.table().received(this);
      current.requestBody().end();
      start();
    }
  }

  private void sendContinue() {
    writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
  }

  /** Answers what is no request, and ends. */
  @Override
  public void refuse(HttpFailure failure) {
    if (exchange != null || isClosing) {
      channel.close();
      return;
    }
    final byte[] body =
        ("{\"error\":{\"message\":\""
                + failure.getMessage()
                + "\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\""
                + failure.code()
                + "\"}}")
            .getBytes(StandardCharsets.UTF_8);
    final FullHttpResponse answer =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(failure.status()),
            Unpooled.wrappedBuffer(body));
    answer.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json; charset=utf-8");
    answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.length);
    answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    channel.writeAndFlush(answer);
    linger();
  }

  /** Says that no more is coming, and reads what still comes for a while. */
  private void linger() {
    isClosing = true;
    deadline.cancel();
    shared.table().receiving(this); // leaves before others
    LingeringClose.begin(channel);
  }

  private void answered(ServerExchange ended, boolean keepsAlive) {
    ended.sent();
    if (exchange != ended) {
      return;
    }
    exchange = null;
    if (!keepsAlive) {
      linger();
      return;
    }
    shared.table().receiving(this);
    deadline.closeAfter(shared.limits().idleTimeout());
    watch.expectHead();
    while (!ahead.isEmpty() && (exchange == null || !(ahead.peekFirst() instanceof HttpRequest))) {
      takeNext();
    }
    start();
  }

  private void takeNext() {
    final HttpObject part = ahead.removeFirst();
    bytesAhead -= part instanceof HttpContent content ? content.content().readableBytes() : 0;
    take(part);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    start();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (exchange != null) {
      exchange.writable();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    channel.close();
  }

  // ---- any thread

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

  /** Ends the connection; an answer that is cut short looks like one only so. */
  void cut() {
    channel.close();
  }

  ByteBuf buffer(int bytes) {
    return channel.alloc().buffer(bytes);
  }

  void write(HttpResponse head) throws IOException {
    if (!channel.isActive()) {
      throw new IOException("the client has gone");
    }
    channel.write(head);
  }

  void flush() {
    channel.flush();
  }

  void writeAndFlush(HttpObject part) {
    channel.writeAndFlush(part);
  }

  /** Ends an answer. */
  void end(LastHttpContent last, ServerExchange ended, boolean keepsAlive) {
    channel
        .writeAndFlush(last)
        .addListener(
            (ChannelFutureListener)
                written -> {
                  if (written.isSuccess()) {
                    answered(ended, keepsAlive);
                  } else {
                    channel.close();
                  }
                });
  }

  boolean isWritable() {
    return channel.isWritable();
  }

  /** Bytes that the client's system has not taken yet. */
  long untakenBytes() {
    final ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
    return buffer == null ? 0 : buffer.totalPendingWriteBytes();
  }

  @Nullable InetSocketAddress remoteAddress() {
    return channel.remoteAddress();
  }

  InetSocketAddress localAddress() {
    return channel.localAddress();
  }
}
