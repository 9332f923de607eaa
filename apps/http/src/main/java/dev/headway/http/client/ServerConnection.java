package dev.headway.http.client;

import dev.headway.http.client.Loss.Cause;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** A connection to a server, which serves one request at a time. Its event loop only. */
@SuppressWarnings({
  "FutureReturnValueIgnored", // what fails closes the connection, which is seen
  "ReferenceEquality" // whether it is still the same reader
})
public final class ServerConnection extends ChannelInboundHandlerAdapter {

  /** Receives what comes back. */
  public interface Reader {

    /** The request is handed to the socket next. */
    default void onWrite() {}

    /** Something was read from the socket, and is looked at next. */
    default void onRead() {}

    /** The head of the answer. */
    void onHead(HttpResponse head);

    /** A part of its body; the callee does not own it. */
    void onPart(ByteBuf part);

    /** Nothing more is there to be read at the moment. */
    default void onPause() {}

    /** The answer was read to its end; the connection is another's now. */
    void onEnd();

    /** The connection is lost; nothing more comes. */
    void onLost(Loss loss);
  }

  private final ConnectionPool pool;
  private @Nullable Channel channel;
  private @Nullable Reader reader;
  private boolean isReused;
  private boolean hasHead;
  private boolean keepsAlive;

  ServerConnection(ConnectionPool pool) {
    this.pool = pool;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    channel = context.channel();
  }

  /**
   * Sends a request, which this owns from now on.
   *
   * @param reused whether the connection was kept from an earlier request
   */
  public void begin(FullHttpRequest request, Reader to, boolean reused) {
    reader = to;
    isReused = reused;
    hasHead = false;
    to.onWrite();
    open()
        .writeAndFlush(request)
        .addListener(
            written -> {
              if (!written.isSuccess() && reader == to) {
                lose(Cause.UNWRITABLE, written.cause());
              }
            });
  }

  /** Reads on, or leaves the server's bytes where they are. */
  public void reads(boolean value) {
    final Channel current = channel;
    if (current != null && current.config().isAutoRead() != value) {
      current.config().setAutoRead(value);
    }
  }

  /**
   * Gives the request up; its reader is notified of nothing more, and the server sees the
   * connection close.
   */
  public void abandon() {
    reader = null;
    close();
  }

  /** Closes the connection. */
  public void close() {
    final Channel current = channel;
    if (current != null) {
      current.close();
    }
  }

  boolean isOpen() {
    final Channel current = channel;
    return current != null && current.isActive();
  }

  private Channel open() {
    if (channel == null) {
      throw new IllegalStateException("a connection must be made before it is used");
    }
    return channel;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      final Reader to = reader;
      if (to == null) {
        context.close(); // unsolicited
        return;
      }
      to.onRead();
      if (message instanceof HttpObject part && part.decoderResult().isFailure()) {
        lose(Cause.MALFORMED, part.decoderResult().cause());
        return;
      }
      if (message instanceof HttpResponse head) {
        if (head.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
          return;
        }
        hasHead = true;
        keepsAlive = HttpUtil.isKeepAlive(head);
        to.onHead(head);
      }
      if (message instanceof HttpContent part && hasHead) {
        if (part.content().isReadable() && reader == to) {
          to.onPart(part.content());
        }
        if (part instanceof LastHttpContent && reader == to) {
          end(to);
        }
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void end(Reader to) {
    reader = null;
    reads(true);
    if (keepsAlive && isOpen()) {
      pool.release(this);
    } else {
      close();
    }
    to.onEnd();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (reader != null) {
      reader.onPause();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    pool.gone(this);
    lose(Cause.CLOSED, null);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    lose(Cause.BROKEN, cause);
    context.close();
  }

  private void lose(Cause cause, @Nullable Throwable problem) {
    final Reader to = reader;
    reader = null;
    close();
    if (to != null) {
      final String detail = problem == null ? null : problem.getMessage();
      to.onLost(new Loss(cause, detail, isReused && !hasHead));
    }
  }
}
