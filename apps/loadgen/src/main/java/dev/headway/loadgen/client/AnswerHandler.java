package dev.headway.loadgen.client;

import dev.headway.loadgen.client.Exchange.Status;
import dev.headway.loadgen.sse.SseParser;
import dev.headway.routing.timing.HostClock;
import dev.headway.routing.timing.TimingJson;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A connection: writes one request, reads its answer, and is free for the next. On the connection's
 * thread.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails closes the connection, which is seen
final class AnswerHandler extends SimpleChannelInboundHandler<HttpObject> {

  private static final int OK = 200;
  private static final int MOST_BODY_BYTES = 64 << 20;
  private static final double MS_PER_SECOND = 1e3;

  private final long timeoutMs;
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  HttpTarget.@Nullable Lane lane;
  private @Nullable ChannelHandlerContext context;
  private @Nullable Exchange exchange;
  private @Nullable AnswerReader reader;
  private @Nullable SseParser events;
  private @Nullable FullHttpRequest spare;
  private @Nullable Future<?> timeout;
  private int status;
  private boolean keepAlive;
  private long readNs;

  AnswerHandler(double timeoutSeconds) {
    this.timeoutMs = Math.max(1, Math.round(Math.min(timeoutSeconds, 1e9) * MS_PER_SECOND));
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  /**
   * Sends a request.
   *
   * @param again the same request for another connection, should this one turn out to be closed;
   *     null on a new connection
   */
  void begin(Exchange next, @Nullable FullHttpRequest again, FullHttpRequest request) {
    final ChannelHandlerContext ctx = context();
    exchange = next;
    spare = again;
    events = null;
    status = 0;
    body.reset();
    timeout =
        ctx.executor()
            .schedule(
                () -> abort(Status.TIMEOUT, "no whole answer in " + timeoutMs + " ms"),
                timeoutMs,
                TimeUnit.MILLISECONDS);
    next.sent(HostClock.nanoTime());
    ctx.writeAndFlush(request).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
  }

  private ChannelHandlerContext context() {
    if (context == null) {
      throw new IllegalStateException("a connection must be open before it is used");
    }
    return context;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    readNs = HostClock.nanoTime(); // before anything is parsed
    super.channelRead(ctx, message);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
    final Exchange current = exchange;
    if (current == null) {
      ctx.close(); // an answer that was not asked for
      return;
    }
    if (message instanceof HttpResponse response) {
      head(current, response);
    }
    if (message instanceof HttpContent content) {
      content(current, content.content());
    }
    if (message instanceof LastHttpContent) {
      end(current);
    }
  }

  private void head(Exchange current, HttpResponse response) {
    dropSpare();
    current.head(readNs);
    status = response.status().code();
    keepAlive = HttpUtil.isKeepAlive(response);
    final AnswerReader to = new AnswerReader(current);
    reader = to;
    final String type = response.headers().get(HttpHeaderNames.CONTENT_TYPE, "");
    if (status == OK && type.startsWith("text/event-stream")) {
      events = new SseParser(data -> to.event(data, readNs));
    }
    final String router = response.headers().get(TimingJson.ROUTER_HEADER);
    if (router != null) {
      try {
        current.router(TimingJson.readRouter(JsonMapper.shared().readTree(router)));
      } catch (JacksonException | IllegalArgumentException e) {
        current.failed(
            Status.ERROR, readNs, TimingJson.ROUTER_HEADER + " must be a router's timing: " + e);
      }
    }
  }

  private void content(Exchange current, ByteBuf content) {
    if (events != null) {
      try {
        events.feed(content);
      } catch (IllegalStateException | IllegalArgumentException e) {
        current.failed(Status.ERROR, readNs, String.valueOf(e.getMessage()));
      }
    } else if (body.size() + content.readableBytes() <= MOST_BODY_BYTES) {
      final byte[] bytes = new byte[content.readableBytes()];
      content.readBytes(bytes);
      body.write(bytes, 0, bytes.length);
    }
  }

  private void end(Exchange current) {
    final AnswerReader to = reader;
    if (events != null) {
      events.end();
    } else if (to != null && status == OK) {
      to.whole(body.toByteArray(), readNs);
    } else if (to != null) {
      to.refused(status, body.toByteArray(), readNs);
    }
    release(keepAlive && context().channel().isActive());
    current.done(readNs);
  }

  /** The connection is free, or of no more use. */
  private void release(boolean isReusable) {
    if (timeout != null) {
      timeout.cancel(false);
      timeout = null;
    }
    dropSpare();
    exchange = null;
    reader = null;
    events = null;
    if (lane != null) {
      lane.finished(this, isReusable);
    }
    if (!isReusable) {
      closeConnection();
    }
  }

  private void dropSpare() {
    if (spare != null) {
      spare.release();
      spare = null;
    }
  }

  void abort(Status how, String why) {
    final Exchange current = exchange;
    if (current != null) {
      release(false);
      current.failed(how, HostClock.nanoTime(), why);
    }
  }

  void closeConnection() {
    context().close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    final Exchange current = exchange;
    final HttpTarget.Lane home = lane;
    if (home != null) {
      home.gone(this);
    }
    if (current != null && spare != null && home != null) {
      final FullHttpRequest again = spare;
      spare = null;
      release(false);
      home.again(again, current);
    } else {
      abort(Status.ERROR, "the server closed the connection before the end of the answer");
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (spare == null) {
      abort(Status.ERROR, "the connection failed: " + cause.getMessage());
    }
    ctx.close(); // channelInactive follows, and tries again if no byte has come
  }
}
