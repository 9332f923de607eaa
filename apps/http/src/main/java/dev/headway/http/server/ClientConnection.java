package dev.headway.http.server;

import dev.headway.http.ConnectionDeadline;
import dev.headway.http.ConnectionLimits;
import dev.headway.http.ConnectionTable;
import dev.headway.http.HeadWatch;
import dev.headway.http.HttpFailure;
import dev.headway.http.LingeringClose;
import dev.headway.http.RequestRules;
import dev.headway.http.StrictRequestDecoder;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection: one request after the other, each within its time. What is no request is
 * answered, and the connection ends. Its event loop only, but for {@link #cut}, {@link #evict},
 * {@link #readBody} and {@link #address}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails closes the connection, which is seen
final class ClientConnection extends ChannelInboundHandlerAdapter
    implements ConnectionTable.Member, HeadWatch.Listener {

  private static final int BODY = 1;
  private static final int AHEAD = 2;

  private final SocketChannel channel;
  private final ConnectionLimits limits;
  private final ConnectionTable table;
  private final RequestReceiver receiver;
  private final HeadWatch watch = new HeadWatch(this);
  private final ConnectionDeadline deadline;
  private final PartsAhead ahead = new PartsAhead();
  private @Nullable InetAddress address;
  private RequestReceiver.@Nullable Body receiving;
  private boolean isOpen;
  private boolean isAnswering;
  private boolean isClosing;

  /** Places of what comes that have no room, by bit: nothing is read then. */
  private int full;

  private ClientConnection(
      SocketChannel channel,
      ConnectionLimits limits,
      ConnectionTable table,
      Function<ClientConnection, RequestReceiver> receivers) {
    this.channel = channel;
    this.limits = limits;
    this.table = table;
    this.deadline = new ConnectionDeadline(channel);
    this.receiver = receivers.apply(this);
  }

  /** Makes the handlers of a connection. */
  static void begin(
      SocketChannel channel,
      ConnectionLimits limits,
      ConnectionTable table,
      Function<ClientConnection, RequestReceiver> receivers) {
    final ClientConnection made = new ClientConnection(channel, limits, table, receivers);
    channel
        .pipeline()
        .addLast(made.watch)
        .addLast(new StrictRequestDecoder())
        .addLast(new AnswerEncoder(made.receiver::isToHead))
        .addLast(made);
  }

  SocketChannel channel() {
    return channel;
  }

  ConnectionLimits limits() {
    return limits;
  }

  /** Ends the connection, or does something else, unless what is awaited comes before. */
  ConnectionDeadline deadline() {
    return deadline;
  }

  RequestReceiver receiver() {
    return receiver;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    address = channel.remoteAddress() == null ? null : channel.remoteAddress().getAddress();
    if (address == null || !table.opened(this)) {
      cut();
      return;
    }
    isOpen = true;
    deadline.closeAfter(limits.headTimeout());
    receiver.opened();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    deadline.cancel();
    drop();
    if (isOpen) {
      table.closed(this);
      receiver.gone();
    }
    ahead.release();
  }

  @Override
  public void headBegins() {
    if (!isAnswering && !isClosing && receiving == null) {
      deadline.closeAfter(limits.headTimeout());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (isClosing || !(message instanceof HttpObject part)) {
      ReferenceCountUtil.release(message);
    } else if (ahead.isEmpty() && isTaken()) {
      take(part);
    } else {
      ahead.add(part);
      if (ahead.isFull()) {
        read(AHEAD, false);
      }
    }
  }

  /** Whether what comes next is received now, and does not wait for an answer. */
  private boolean isTaken() {
    return receiving != null || !isAnswering || receiver.receivesAhead();
  }

  private void take(HttpObject part) {
    try {
      if (part instanceof HttpRequest head) {
        begin(head);
      }
      if (part instanceof HttpContent content && receiving != null) {
        add(receiving, content);
      }
    } finally {
      ReferenceCountUtil.release(part);
    }
  }

  private void begin(HttpRequest head) {
    watch.headEnds();
    deadline.cancel();
    try {
      RequestRules.require(head);
      receiving = receiver.begin(head);
    } catch (HttpFailure failure) {
      refuse(failure);
      return;
    }
    if (!isAnswering) {
      receiving.onTurn();
    }
  }

  private void add(RequestReceiver.Body body, HttpContent part) {
    try {
      RequestRules.requireDecoded(part.decoderResult());
      body.add(part);
    } catch (HttpFailure failure) {
      body.fail(failure);
      return;
    }
    if (part instanceof LastHttpContent) {
      receiving = null;
      isAnswering = true;
      deadline.cancel();
      table.received(this);
      body.end();
      receiver.received();
    }
  }

  void sendContinue() {
    channel.writeAndFlush(
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
  }

  /** Answers what is no request, and ends. */
  @Override
  public void refuse(HttpFailure failure) {
    deadline.cancel();
    drop();
    if (isAnswering || isClosing) {
      cut(); // answers come in the order of their requests, or not at all
      return;
    }
    final FullHttpResponse answer = receiver.refusal(failure);
    answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    channel.writeAndFlush(answer);
    linger();
  }

  private void drop() {
    if (receiving != null) {
      receiving.drop();
      receiving = null;
    }
  }

  /** Says that no more is coming, and reads what still comes for a while. */
  private void linger() {
    isClosing = true;
    deadline.cancel();
    table.receiving(this); // leaves before others
    read(AHEAD, true);
    LingeringClose.begin(channel);
  }

  /** What was asked for is answered: the next request may come. */
  void answered(boolean keepsAlive) {
    if (!keepsAlive) {
      linger();
      return;
    }
    isAnswering = false;
    table.receiving(this);
    if (receiving != null) {
      receiving.onTurn();
      return;
    }
    watch.expectHead();
    deadline.closeAfter(limits.idleTimeout());
    while (!ahead.isEmpty() && isTaken() && !isClosing) {
      take(ahead.remove());
    }
    if (!ahead.isFull() && !isClosing) {
      read(AHEAD, true);
    }
    receiver.received();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    receiver.received();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    receiver.writabilityChanged();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    cut();
  }

  // ---- any thread

  /** A body has room for more, or has none. */
  void readBody(boolean hasRoom) {
    read(BODY, hasRoom);
  }

  /** Reads on unless something else has no room. */
  private synchronized void read(int place, boolean hasRoom) {
    full = hasRoom ? full & ~place : full | place;
    channel.config().setAutoRead(full == 0);
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
    cut();
  }

  /** Ends the connection; an answer that is cut short looks like one only so. */
  void cut() {
    channel.close();
  }
}
