package dev.headway.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.http.server.HttpListener;
import dev.headway.http.server.ServerExchange;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.CharsetUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The end of an encrypted connection, for a client that wants to know whether it was cut. */
@Timeout(60)
class TlsEndTest {

  @Test
  void shouldSayThatNoMoreIsComing(@TempDir Path folder) throws Exception {
    final TlsFiles files = TlsFiles.in(folder);
    final CompletableFuture<Object> end = new CompletableFuture<>();
    final MultiThreadIoEventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try (HttpListener http =
        HttpListener.open(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            ConnectionLimits.DEFAULT,
            ServerTls.of(files.certificate(), files.key()),
            TlsEndTest::refuse)) {
      final Channel client = client(loops, files.trusting(), end, http.address());

      client.writeAndFlush(
          ByteBufUtil.writeUtf8(
              client.alloc(),
              "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc"));

      assertThat(end.get(30, TimeUnit.SECONDS)).isEqualTo(SslCloseCompletionEvent.SUCCESS);
    } finally {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  private static void refuse(ServerExchange exchange) {
    try (exchange) {
      exchange.setHeader("Connection", "close");
      exchange.send(413, "too long".getBytes(CharsetUtil.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The first of the end that was said, and the end that was not. */
  private static Channel client(
      MultiThreadIoEventLoopGroup loops,
      SSLContext trusting,
      CompletableFuture<Object> end,
      InetSocketAddress server) {
    return new Bootstrap()
        .group(loops)
        .channel(NioSocketChannel.class)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                final SSLEngine engine = trusting.createSSLEngine();
                engine.setUseClientMode(true);
                channel
                    .pipeline()
                    .addLast(new SslHandler(engine))
                    .addLast(
                        new ChannelInboundHandlerAdapter() {
                          @Override
                          public void userEventTriggered(
                              ChannelHandlerContext context, Object event) {
                            if (event instanceof SslCloseCompletionEvent) {
                              end.complete(event);
                            }
                          }

                          @Override
                          public void channelInactive(ChannelHandlerContext context) {
                            end.complete("cut");
                          }
                        });
              }
            })
        .connect(server)
        .syncUninterruptibly()
        .channel();
  }
}
