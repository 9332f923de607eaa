package dev.headway.router;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long tokens are on their way from a {@link FakeWorker} to a client, directly and through a
 * router, in turns: {@code java ... dev.headway.router.RouterLoad DIRECT_URL ROUTER_URL STREAMS
 * ROUNDS HALF_OPEN}. A token says when it was written, on the clock that processes of a host share.
 * With half-open connections each turn through the router is done without and with them. At the end
 * come the medians over the rounds.
 */
public final class RouterLoad {

  private static final byte[] AT = "\"at\":".getBytes(StandardCharsets.UTF_8);
  private static final Duration SETTLE = Duration.ofSeconds(2);
  private static final String BODY = "{\"prompt\":\"Once upon a time\",\"stream\":true}";

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  /** p50 and p99 in microseconds of each round, by what was measured. */
  private final Map<String, List<long[]>> medians = new LinkedHashMap<>();

  private RouterLoad() {}

  /** Measures and prints. */
  public static void main(String[] arguments) throws Exception {
    final URI direct = URI.create(arguments[0]);
    final URI router = URI.create(arguments[1]);
    final int streams = Integer.parseInt(arguments[2]);
    final int rounds = Integer.parseInt(arguments[3]);
    final int halfOpen = Integer.parseInt(arguments[4]);
    final RouterLoad load = new RouterLoad();
    load.round("warm-up direct", direct, streams / 5);
    load.round("warm-up router", router, streams / 5);
    for (int i = 0; i < rounds; i++) {
      load.round("direct", direct, streams);
      load.round("router", router, streams);
      if (halfOpen > 0) {
        final List<Socket> silent = silent(router, halfOpen);
        Thread.sleep(SETTLE); // what they do by being there, not by being opened
        load.round("router, half-open=" + halfOpen, router, streams);
        for (Socket each : silent) {
          each.close();
        }
        Thread.sleep(SETTLE);
      }
    }
    load.medians.forEach(RouterLoad::print);
    load.group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
  }

  private static List<Socket> silent(URI router, int count) throws IOException {
    final List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      final Socket socket = new Socket(router.getHost(), router.getPort());
      socket
          .getOutputStream()
          .write("POST /v1/completions HTTP/1.1\r\nHost:".getBytes(StandardCharsets.UTF_8));
      sockets.add(socket);
    }
    return sockets;
  }

  private void round(String name, URI target, int streams) throws InterruptedException {
    final Round round = new Round(streams);
    final Bootstrap bootstrap =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .handler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    channel.pipeline().addLast(new HttpClientCodec(), new Stream(round));
                  }
                });
    final long beganNs = System.nanoTime();
    for (int i = 0; i < streams; i++) {
      bootstrap
          .connect(target.getHost(), target.getPort())
          .addListener(
              done -> {
                if (!done.isSuccess()) {
                  round.failed();
                }
              });
      if (i % 50 == 49) {
        Thread.sleep(20); // arrivals over seconds, not a flood
      }
    }
    round.left.await();
    final long[] figures = round.print(name, streams, System.nanoTime() - beganNs);
    medians.computeIfAbsent(name, first -> new ArrayList<>()).add(figures);
  }

  private static void print(String name, List<long[]> rounds) {
    System.out.printf(
        "median of %d %-24s p50_us=%d p99_us=%d%n",
        rounds.size(), name, median(rounds, 0), median(rounds, 1));
  }

  private static long median(List<long[]> rounds, int figure) {
    final long[] all = rounds.stream().mapToLong(each -> each[figure]).sorted().toArray();
    return (all[(all.length - 1) / 2] + all[all.length / 2]) / 2;
  }

  /** What a round measured. */
  private static final class Round {
    private final CountDownLatch left;
    private final AtomicInteger failures = new AtomicInteger();
    private long[] wayNs = new long[1 << 16];
    private int count;
    private int underWay;
    private int mostUnderWay;

    Round(int streams) {
      left = new CountDownLatch(streams);
    }

    void token(long tookNs) {
      wayNs = count == wayNs.length ? Arrays.copyOf(wayNs, 2 * count) : wayNs;
      wayNs[count++] = tookNs;
    }

    void failed() {
      failures.incrementAndGet();
      left.countDown();
    }

    long[] print(String name, int streams, long tookNs) {
      final long[] sorted = Arrays.copyOf(wayNs, count);
      Arrays.sort(sorted);
      System.out.printf(
          "%-24s streams=%d most_at_once=%d failed=%d tokens=%d tokens_per_s=%.0f p50_us=%d"
              + " p90_us=%d p99_us=%d%n",
          name,
          streams,
          mostUnderWay,
          failures.get(),
          count,
          count / (tookNs / 1e9),
          at(sorted, 0.5),
          at(sorted, 0.9),
          at(sorted, 0.99));
      return new long[] {at(sorted, 0.5), at(sorted, 0.99)};
    }

    private static long at(long[] sorted, double share) {
      return sorted.length == 0 ? -1 : sorted[(int) ((sorted.length - 1) * share)] / 1_000;
    }
  }

  private static final class Stream extends SimpleChannelInboundHandler<HttpObject> {
    private final Round round;
    private boolean isDone;

    Stream(Round round) {
      this.round = round;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      round.mostUnderWay = Math.max(round.mostUnderWay, ++round.underWay);
      final DefaultFullHttpRequest request =
          new DefaultFullHttpRequest(
              HttpVersion.HTTP_1_1,
              HttpMethod.POST,
              "/v1/completions",
              Unpooled.copiedBuffer(BODY, StandardCharsets.UTF_8));
      request
          .headers()
          .set(HttpHeaderNames.HOST, "x")
          .set(HttpHeaderNames.CONTENT_LENGTH, BODY.length());
      context.writeAndFlush(request);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, HttpObject message) {
      if (message instanceof HttpContent part) {
        tokens(part.content(), System.nanoTime());
      }
      if (message instanceof LastHttpContent) {
        isDone = true;
        context.close();
      }
    }

    private void tokens(ByteBuf part, long nowNs) {
      int from = part.readerIndex();
      while (true) {
        int found = -1;
        for (int i = from; i <= part.writerIndex() - AT.length && found < 0; i++) {
          found = isAt(part, i) ? i + AT.length : -1;
        }
        if (found < 0) {
          return;
        }
        long at = 0;
        while (found < part.writerIndex() && Character.isDigit(part.getByte(found))) {
          at = at * 10 + part.getByte(found++) - '0';
        }
        round.token(nowNs - at);
        from = found;
      }
    }

    private static boolean isAt(ByteBuf part, int index) {
      for (int i = 0; i < AT.length; i++) {
        if (part.getByte(index + i) != AT[i]) {
          return false;
        }
      }
      return true;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      round.underWay--;
      if (!isDone) {
        round.failures.incrementAndGet();
      }
      round.left.countDown();
    }
  }
}
