package dev.headway.loadgen.client;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.http.client.Loss;
import dev.headway.http.client.ServerConnection;
import dev.headway.loadgen.client.Exchange.Status;
import dev.headway.loadgen.sse.SseParser;
import dev.headway.routing.timing.HostClock;
import dev.headway.routing.timing.TimingJson;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** One sending of a request: stamps, and reads, what comes back. On its lane's thread. */
final class AnswerHandler implements ServerConnection.Reader {

  private static final int OK = 200;
  private static final int MOST_BODY_BYTES = 64 << 20;

  private final HttpTarget.Lane lane;
  private final Exchange exchange;
  private final long sentNs;
  private final AnswerReader reader;
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private @Nullable FullHttpRequest spare;
  private @Nullable ServerConnection connection;
  private @Nullable SseParser events;
  private @Nullable Future<?> timeout;
  private int status;
  private long readNs;

  /**
   * @param sentNs what counts as the instant of sending; absent for that of the write
   */
  AnswerHandler(HttpTarget.Lane lane, Exchange exchange, long sentNs) {
    this.lane = lane;
    this.exchange = exchange;
    this.sentNs = sentNs;
    this.reader = new AnswerReader(exchange);
  }

  /**
   * Sends a request.
   *
   * @param reused whether the connection was kept from an earlier request
   */
  void begin(ServerConnection to, FullHttpRequest request, boolean reused) {
    connection = to;
    spare = reused ? request.retainedDuplicate() : null;
    timeout =
        lane.loop()
            .schedule(
                () -> abort(Status.TIMEOUT, "no whole answer in " + lane.timeoutMs() + " ms"),
                lane.timeoutMs(),
                TimeUnit.MILLISECONDS);
    to.begin(request, this, reused);
  }

  @Override
  public void onWrite() {
    exchange.sent(sentNs == ABSENT ? HostClock.nanoTime() : sentNs);
  }

  @Override
  public void onRead() {
    readNs = HostClock.nanoTime(); // before anything is parsed
  }

  @Override
  public void onHead(HttpResponse response) {
    dropSpare();
    exchange.head(readNs);
    status = response.status().code();
    final String type = response.headers().get(HttpHeaderNames.CONTENT_TYPE, "");
    if (status == OK && type.startsWith("text/event-stream")) {
      events = new SseParser(data -> reader.event(data, readNs));
    }
    final String router = response.headers().get(TimingJson.ROUTER_HEADER);
    if (router != null) {
      try {
        exchange.router(TimingJson.readRouter(JsonMapper.shared().readTree(router)));
      } catch (JacksonException | IllegalArgumentException e) {
        exchange.failed(
            Status.ERROR, readNs, TimingJson.ROUTER_HEADER + " must be a router's timing: " + e);
      }
    }
  }

  @Override
  public void onPart(ByteBuf content) {
    if (events != null) {
      try {
        events.feed(content);
      } catch (IllegalStateException | IllegalArgumentException e) {
        exchange.failed(Status.ERROR, readNs, String.valueOf(e.getMessage()));
      }
    } else if (body.size() + content.readableBytes() <= MOST_BODY_BYTES) {
      final byte[] bytes = new byte[content.readableBytes()];
      content.readBytes(bytes);
      body.write(bytes, 0, bytes.length);
    }
  }

  @Override
  public void onEnd() {
    if (events != null) {
      events.end();
    } else if (status == OK) {
      reader.whole(body.toByteArray(), readNs);
    } else {
      reader.refused(status, body.toByteArray(), readNs);
    }
    release();
    exchange.done(readNs);
  }

  @Override
  public void onLost(Loss loss) {
    final FullHttpRequest again = spare;
    spare = null;
    release();
    if (loss.wasStale() && again != null) {
      lane.connect(again, exchange);
      return;
    }
    exchange.failed(Status.ERROR, HostClock.nanoTime(), reason(loss));
  }

  private static String reason(Loss loss) {
    return switch (loss.cause()) {
      case CLOSED, UNWRITABLE -> "the server closed the connection before the end of the answer";
      case MALFORMED -> "the server's answer is no HTTP: " + loss.detail();
      case BROKEN -> "the connection failed: " + loss.detail();
    };
  }

  /** The connection is another's, or of no more use. */
  private void release() {
    if (timeout != null) {
      timeout.cancel(false);
      timeout = null;
    }
    dropSpare();
    connection = null;
    lane.finished(this);
  }

  private void dropSpare() {
    if (spare != null) {
      spare.release();
      spare = null;
    }
  }

  void abort(Status how, String why) {
    if (connection != null) {
      connection.abandon();
      release();
      exchange.failed(how, HostClock.nanoTime(), why);
    }
  }
}
