package dev.headway.loadgen;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A server that answers every request with a stream of a few tokens, at once or after a while, on
 * one thread. Started by itself it is what the load generator's speed is measured against: {@code
 * java ... dev.headway.loadgen.Sink PORT}.
 */
public final class Sink implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.shared();

  /** How it answers; a test replaces what it is about. */
  public static final class Behaviour {
    public volatile int tokens = 4;
    public volatile long delayMs;
    public volatile int status = 200;
    public volatile boolean closesAfterEachAnswer;
    public volatile boolean breaksOff;
    public volatile boolean closesKeptConnections;
    public volatile String tail = "";
    public volatile String routerHeader = "";
  }

  public final Behaviour behaviour = new Behaviour();

  /** Bodies in the order in which they came. */
  public final Queue<JsonNode> bodies = new ConcurrentLinkedQueue<>();

  /** Header x-request-id of each. */
  public final Queue<String> ids = new ConcurrentLinkedQueue<>();

  /** Routes that were asked for. */
  public final Queue<String> routes = new ConcurrentLinkedQueue<>();

  public final AtomicInteger underWay = new AtomicInteger();
  public final AtomicInteger mostUnderWay = new AtomicInteger();
  public final AtomicInteger connections = new AtomicInteger();

  private final boolean keepsBodies;
  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("sink", true), NioIoHandler.newFactory());
  private final int port;

  /** Listens on a free port of the loopback address. */
  public Sink() {
    this(0, true);
  }

  private Sink(int at, boolean keepsBodies) {
    this.keepsBodies = keepsBodies;
    this.port =
        ((InetSocketAddress)
                new ServerBootstrap()
                    .group(group)
                    .channel(NioServerSocketChannel.class)
                    .childHandler(
                        new ChannelInitializer<SocketChannel>() {
                          @Override
                          protected void initChannel(SocketChannel channel) {
                            connections.incrementAndGet();
                            channel
                                .pipeline()
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpObjectAggregator(64 << 20))
                                .addLast(new Answers());
                          }
                        })
                    .bind("127.0.0.1", at)
                    .syncUninterruptibly()
                    .channel()
                    .localAddress())
            .getPort();
  }

  /** Runs until it is killed. */
  public static void main(String[] arguments) throws InterruptedException {
    final Sink sink = new Sink(Integer.parseInt(arguments[0]), false);
    if (arguments.length > 1) {
      sink.behaviour.delayMs = Long.parseLong(arguments[1]);
    }
    System.out.println("listening on " + sink.uri());
    Thread.currentThread().join();
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + port);
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private final class Answers extends SimpleChannelInboundHandler<FullHttpRequest> {
    private int served;

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      if (behaviour.closesKeptConnections && served++ > 0) {
        ctx.close(); // as one whose patience has ended just now
        return;
      }
      routes.add(request.uri());
      if (request.uri().endsWith("/models")) {
        whole(ctx, "{\"data\":[{\"id\":\"sink\"}]}", HttpResponseStatus.OK);
        return;
      }
      if (request.uri().endsWith("/metrics")) {
        whole(ctx, metrics(), HttpResponseStatus.OK);
        return;
      }
      if (!request.uri().contains("completions")) {
        whole(ctx, "{}", HttpResponseStatus.OK);
        return;
      }
      boolean stream = true;
      boolean chat = request.uri().contains("chat");
      if (keepsBodies) {
        final JsonNode body = JSON.readTree(request.content().toString(StandardCharsets.UTF_8));
        bodies.add(body);
        ids.add(String.valueOf(request.headers().get("x-request-id")));
        stream = body.path("stream").asBoolean(false);
      }
      final boolean streams = stream;
      mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
      final Runnable answer =
          () -> {
            underWay.decrementAndGet();
            if (behaviour.status != 200) {
              whole(
                  ctx,
                  "{\"error\":{\"message\":\"the sink refuses\"}}",
                  HttpResponseStatus.valueOf(behaviour.status));
            } else if (streams) {
              stream(ctx, chat);
            } else {
              whole(ctx, wholeAnswer(chat), HttpResponseStatus.OK);
            }
          };
      if (behaviour.delayMs == 0) {
        answer.run();
      } else {
        ctx.executor().schedule(answer, behaviour.delayMs, TimeUnit.MILLISECONDS);
      }
    }

    private String metrics() {
      return "# HELP answered_total answers\n# TYPE answered_total counter\n"
          + "answered_total{model=\"a b\"} "
          + bodies.size()
          + "\nanswered_total{model=\"c\"} 5\n# TYPE under_way gauge\nunder_way 3\n";
    }

    private String wholeAnswer(boolean chat) {
      final String choice =
          chat ? "{\"message\":{\"content\":\"word word\"}" : "{\"text\":\"word word\"";
      return "{\"choices\":["
          + choice
          + ",\"finish_reason\":\"length\"}],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}";
    }

    private void stream(ChannelHandlerContext ctx, boolean chat) {
      final DefaultHttpResponse head =
          new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
      head.headers()
          .set(HttpHeaderNames.CONTENT_TYPE, "text/event-stream")
          .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
      if (!behaviour.routerHeader.isEmpty()) {
        head.headers().set("x-headway-router-timing", behaviour.routerHeader);
      }
      if (behaviour.closesAfterEachAnswer) {
        head.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      }
      ctx.write(head);
      final StringBuilder text = new StringBuilder();
      if (chat) {
        text.append(
            "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n");
      }
      final int tokens = behaviour.tokens;
      for (int i = 0; i < tokens; i++) {
        text.append("data: {\"choices\":[{")
            .append(chat ? "\"delta\":{\"content\":\"wort \"}" : "\"text\":\"wort \"")
            .append(i == tokens - 1 ? ",\"finish_reason\":\"length\"" : "")
            .append("}]}\n\n");
      }
      if (behaviour.breaksOff) {
        ctx.writeAndFlush(content(text)).addListener(ChannelFutureListener.CLOSE);
        return;
      }
      text.append("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":")
          .append(tokens)
          .append("}")
          .append(behaviour.tail)
          .append("}\n\ndata: [DONE]\n\n");
      ctx.write(content(text));
      final var last = ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
      if (behaviour.closesAfterEachAnswer) {
        last.addListener(ChannelFutureListener.CLOSE);
      }
    }

    private DefaultHttpContent content(StringBuilder text) {
      return new DefaultHttpContent(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    private void whole(ChannelHandlerContext ctx, String text, HttpResponseStatus status) {
      final ByteBuf body = Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
      final DefaultFullHttpResponse answer =
          new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
      answer
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
          .set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
      ctx.writeAndFlush(answer);
    }
  }
}
