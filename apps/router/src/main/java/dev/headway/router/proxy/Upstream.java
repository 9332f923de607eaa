package dev.headway.router.proxy;

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

/**
 * A connection to a worker, which serves one attempt at a time. Its event loop only, the one of the
 * client's connection.
 */
@SuppressWarnings({
  "FutureReturnValueIgnored", // what fails closes the connection, which is seen
  "ReferenceEquality" // whether it is still the same reader
})
final class Upstream extends ChannelInboundHandlerAdapter {

  /** Receives what comes back. */
  interface Reader {

    /** The head of the answer. */
    void onHead(HttpResponse head);

    /** A part of its body; the callee does not own it. */
    void onPart(ByteBuf part);

    /** Nothing more is there to be read at the moment. */
    void onPause();

    /** The answer was read to its end. */
    void onEnd();

    /** The connection is lost; nothing more comes. */
    void onLost(String reason, boolean wasReused);
  }

  private final UpstreamPool pool;
  private @Nullable Channel channel;
  private @Nullable Reader reader;
  private boolean isReused;
  private boolean hasHead;
  private boolean keepsAlive;
  private @Nullable String problem;

  Upstream(UpstreamPool pool) {
    this.pool = pool;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    channel = context.channel();
  }

  /** Sends a request, which this owns from now on. */
  void begin(FullHttpRequest request, Reader to, boolean reused) {
    reader = to;
    isReused = reused;
    hasHead = false;
    problem = null;
    open()
        .writeAndFlush(request)
        .addListener(
            written -> {
              if (!written.isSuccess() && reader == to) {
                problem = "the request could not be written: " + written.cause().getMessage();
                close();
              }
            });
  }

  /** Reads on, or leaves the worker's bytes where they are. */
  void reads(boolean value) {
    final Channel current = channel;
    if (current != null && current.config().isAutoRead() != value) {
      current.config().setAutoRead(value);
    }
  }

  /**
   * Gives the attempt up, which is notified of nothing more; the worker sees its connection close.
   */
  void abandon() {
    reader = null;
    close();
  }

  void close() {
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
      if (message instanceof HttpObject part && part.decoderResult().isFailure()) {
        problem = "the worker's answer is no HTTP: " + part.decoderResult().cause().getMessage();
        context.close();
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
    final Reader to = reader;
    reader = null;
    if (to != null) {
      final String why = problem;
      to.onLost(why != null ? why : "the worker closed the connection", isReused && !hasHead);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (problem == null) {
      problem = "the connection to the worker failed: " + cause.getMessage();
    }
    context.close();
  }
}
