package dev.headway.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends a connection whose client may still be sending: says that no more is coming, and reads what
 * still comes for a while. Cut off at once the client might not read the answer that it was just
 * sent. Event loop of the connection only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what fails closes the connection, as is meant
public final class LingeringClose extends ChannelInboundHandlerAdapter {

  /** Without a byte the connection ends. */
  private static final Duration PAUSE = Duration.ofSeconds(2);

  /** With bytes too. */
  private static final Duration LONGEST = Duration.ofSeconds(10);

  private final SocketChannel channel;
  private final long untilNs = System.nanoTime() + LONGEST.toNanos();
  private @Nullable ScheduledFuture<?> end;

  private LingeringClose(SocketChannel channel) {
    this.channel = channel;
  }

  /** Begins to end a connection, once what was written to it is flushed; again does nothing. */
  public static void begin(SocketChannel channel) {
    if (!channel.isActive() || channel.pipeline().get(LingeringClose.class) != null) {
      return;
    }
    channel.config().setAutoRead(true);
    final SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls == null) {
      channel.shutdownOutput();
    } else { // without its last word the client takes the answer for cut short
      tls.closeOutbound().addListener(said -> channel.shutdownOutput());
    }
    channel.pipeline().addFirst(new LingeringClose(channel));
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    wait(context);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ReferenceCountUtil.release(message);
    wait(context);
  }

  private void wait(ChannelHandlerContext context) {
    final long leftNs = Math.min(PAUSE.toNanos(), untilNs - System.nanoTime());
    cancel();
    end = context.executor().schedule(() -> channel.close(), leftNs, TimeUnit.NANOSECONDS);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    cancel();
    context.fireChannelInactive();
  }

  private void cancel() {
    if (end != null) {
      end.cancel(false);
    }
  }
}
