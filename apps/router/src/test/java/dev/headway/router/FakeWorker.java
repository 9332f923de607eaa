package dev.headway.router;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A server that streams tokens at a pace, and can refuse, stall, cut an answer short, or die. On
 * one thread. Started by itself it is what the router is measured with: {@code java ...
 * dev.headway.router.FakeWorker PORT TOKENS GAP_MS}.
 */
public final class FakeWorker implements AutoCloseable {

  private static final int MOST_ATTEMPTS = 500;
  private static final long ATTEMPT_NS = 20_000_000;

  public volatile int tokens = 4;
  public volatile long gapMs;
  public volatile int status = 200;

  /** Tokens after which the connection is cut; -1 for never, 0 before the head. */
  public volatile int cutsAfter = -1;

  /** Bytes that each token is padded with. */
  public volatile int padding;

  /** Answers nothing. */
  public volatile boolean stalls;

  public volatile int healthStatus = 200;
  public volatile String model = "fake";

  public volatile String serverInfo = "{}";

  public final Queue<String> bodies = new ConcurrentLinkedQueue<>();
  public final Queue<String> heads = new ConcurrentLinkedQueue<>();
  public final AtomicInteger begun = new AtomicInteger();
  public final AtomicInteger finished = new AtomicInteger();

  /** Answers whose client went away before their end. */
  public final AtomicInteger cancelled = new AtomicInteger();

  public final AtomicInteger tokensWritten = new AtomicInteger();

  private final boolean keepsBodies;
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("fake-worker", true), NioIoHandler.newFactory());
  private @Nullable Channel listening;
  private int port;

  public FakeWorker() {
    this(0, true);
  }

  FakeWorker(int port, boolean keepsBodies) {
    this.port = port;
    this.keepsBodies = keepsBodies;
    listen();
  }

  /** Runs until it is killed. */
  public static void main(String[] arguments) throws InterruptedException {
    final FakeWorker worker = new FakeWorker(Integer.parseInt(arguments[0]), false);
    worker.tokens = Integer.parseInt(arguments[1]);
    worker.gapMs = Long.parseLong(arguments[2]);
    System.out.println("listening on " + worker.url());
    Thread.currentThread().join();
  }

  /**
   * Listens, again after {@link #die}. Whoever connects to a port of which nobody listens may get
   * that very port on its own side, and be connected to itself until it notices.
   */
  public void listen() {
    final ServerBootstrap server =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 8_192)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    channels.add(channel);
                    channel
                        .pipeline()
                        .addLast(new HttpServerCodec())
                        .addLast(new HttpObjectAggregator(64 << 20))
                        .addLast(new Answers());
                  }
                });
    ChannelFuture binding = server.bind("127.0.0.1", port).awaitUninterruptibly();
    for (int attempt = 1; !binding.isSuccess() && attempt < MOST_ATTEMPTS; attempt++) {
      LockSupport.parkNanos(ATTEMPT_NS);
      binding = server.bind("127.0.0.1", port).awaitUninterruptibly();
    }
    final Channel bound = binding.syncUninterruptibly().channel();
    listening = bound;
    port = ((InetSocketAddress) bound.localAddress()).getPort();
  }

  /** What a killed process leaves: no listener, and every connection cut. */
  public void die() {
    if (listening != null) {
      listening.close().syncUninterruptibly();
    }
    channels.close().syncUninterruptibly();
  }

  public String url() {
    return "http://127.0.0.1:" + port;
  }

  public String id() {
    return "127.0.0.1:" + port;
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private final class Answers extends SimpleChannelInboundHandler<FullHttpRequest> {
    private boolean isAnswering;

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      if (request.uri().equals("/health")) {
        whole(context, healthStatus, "{}");
      } else if (request.uri().equals("/v1/models")) {
        whole(context, 200, "{\"data\":[{\"id\":\"" + model + "\"}]}");
      } else if (request.uri().equals("/server_info")) {
        whole(context, 200, serverInfo);
      } else if (request.uri().contains("completions") || request.uri().equals("/generate")) {
        generate(context, request);
      } else {
        whole(context, 404, "{}");
      }
    }

    private void generate(ChannelHandlerContext context, FullHttpRequest request) {
      begun.incrementAndGet();
      if (keepsBodies) {
        bodies.add(request.content().toString(StandardCharsets.UTF_8));
        heads.add(request.headers().entries().toString());
      }
      if (stalls) {
        isAnswering = true;
        return;
      }
      if (status != 200) {
        whole(context, status, "{\"error\":{\"message\":\"the worker refuses\"}}");
        return;
      }
      if (cutsAfter == 0) {
        context.close();
        return;
      }
      isAnswering = true;
      final DefaultHttpResponse head =
          new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
      head.headers()
          .set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream")
          .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
      context.writeAndFlush(head);
      token(context, 0);
    }

    private void token(ChannelHandlerContext context, int index) {
      if (!context.channel().isActive()) {
        return;
      }
      if (index == cutsAfter) {
        isAnswering = false;
        context.close();
        return;
      }
      if (index == tokens) {
        isAnswering = false;
        finished.incrementAndGet();
        context.write(content("data: [DONE]\n\n"));
        context.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        return;
      }
      if (!context.channel().isWritable()) {
        context.executor().schedule(() -> token(context, index), 5, TimeUnit.MILLISECONDS);
        return;
      }
      tokensWritten.incrementAndGet();
      context.writeAndFlush(
          content(
              "data: {\"choices\":[{\"text\":\"w"
                  + index
                  + "\"}],\"at\":"
                  + System.nanoTime()
                  + "}"
                  + " ".repeat(padding)
                  + "\n\n"));
      if (gapMs == 0) {
        context.executor().execute(() -> token(context, index + 1));
      } else {
        context.executor().schedule(() -> token(context, index + 1), gapMs, TimeUnit.MILLISECONDS);
      }
    }

    private DefaultHttpContent content(String text) {
      return new DefaultHttpContent(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    private void whole(ChannelHandlerContext context, int answered, String text) {
      final FullHttpResponse answer =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              HttpResponseStatus.valueOf(answered),
              Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
      answer
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
          .set(HttpHeaderNames.CONTENT_LENGTH, answer.content().readableBytes());
      context.writeAndFlush(answer);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (isAnswering) {
        cancelled.incrementAndGet();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }
}
