package dev.headway.loadgen.client;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Answers every request at once with the same stream of a few tokens, on a free port of the
 * loopback address: something to rehearse with before a measurement.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a client that is gone needs no answer
public final class CannedServer implements AutoCloseable {

  private static final int TOKENS = 8;
  private static final long CLOSE_TIMEOUT_S = 5;
  private static final String EVENT =
      "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"text\":\" a\",\"delta\":{\"content\":\" a\"},"
          + "\"finish_reason\":null}]}\n\n";
  private static final String END =
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":"
          + TOKENS
          + "}}\n\ndata: [DONE]\n\n";

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("headway-bench-canned", true), NioIoHandler.newFactory());
  private final int port;

  /** Starts to listen. */
  public CannedServer() {
    port =
        ((InetSocketAddress)
                new ServerBootstrap()
                    .group(group)
                    .channel(NioServerSocketChannel.class)
                    .childHandler(new Initializer())
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .syncUninterruptibly()
                    .channel()
                    .localAddress())
            .getPort();
  }

  /** Where it listens. */
  public URI address() {
    return URI.create("http://127.0.0.1:" + port);
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, CLOSE_TIMEOUT_S, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private static final class Initializer extends ChannelInitializer<SocketChannel> {
    @Override
    protected void initChannel(SocketChannel channel) {
      channel.pipeline().addLast(new HttpServerCodec()).addLast(new Answer());
    }
  }

  private static final class Answer extends SimpleChannelInboundHandler<HttpObject> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject part) {
      if (!(part instanceof LastHttpContent)) {
        return;
      }
      final DefaultHttpResponse head =
          new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
      head.headers()
          .set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream")
          .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
      ctx.write(head);
      for (int i = 0; i < TOKENS; i++) {
        ctx.write(content(EVENT));
      }
      ctx.write(content(END));
      ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
          .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }

    private static DefaultHttpContent content(String text) {
      return new DefaultHttpContent(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
    }
  }
}
