package dev.headway.probes.dashboard.page;

import com.sun.net.httpserver.HttpExchange;
import dev.headway.events.reason.WaitReasonTable;
import dev.headway.probes.dashboard.state.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The dashboard's pages: {@code /} is the page itself, {@code /dashboard/events} its snapshots as
 * server-sent events, {@code /dashboard/snapshot} the latest one as JSON. Any thread; a stream
 * keeps the thread that calls {@link #handle} until the client leaves or {@link #close} is called.
 *
 * <p>At most {@value #MOST_STREAMS} streams; each waits for its own client, and a slow one misses
 * snapshots. JSON is made when a client asks, once per snapshot.
 */
public final class DashboardPages implements AutoCloseable {

  private static final String PAGE = "/";
  private static final String EVENTS = "/dashboard/events";
  private static final String SNAPSHOT = "/dashboard/snapshot";
  private static final int MOST_STREAMS = 32;
  private static final int OK = 200;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;
  private static final long KEEP_ALIVE_S = 10;
  private static final byte[] KEEP_ALIVE = bytes(": nothing new\n\n");
  private static final byte[] HTML = bytes(page());

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final AtomicInteger streams = new AtomicInteger();
  private @Nullable Snapshot latest;
  private @Nullable String latestJson;
  private long version;
  private boolean closed;

  /** Makes pages that show nothing yet. */
  public DashboardPages() {}

  /** Shows this from now on; returns at once. */
  @SuppressWarnings("exports") // called by the watch of a Dashboard
  public void show(Snapshot snapshot) {
    lock.lock();
    try {
      latest = snapshot;
      latestJson = null;
      version++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether a path is one of these pages. */
  public static boolean serves(String path) {
    return hasNoFigures(path) || path.equals(EVENTS) || path.equals(SNAPSHOT);
  }

  /** Whether a path is the page itself, which needs no key: the figures come from the others. */
  public static boolean hasNoFigures(String path) {
    return path.equals(PAGE);
  }

  /**
   * Answers a request for a path that this {@link #serves}. Does not close the exchange.
   *
   * @throws IOException if the client has gone
   */
  public void handle(HttpExchange exchange) throws IOException {
    handle(new JdkExchange(exchange));
  }

  /**
   * Answers a request for a path that this {@link #serves}.
   *
   * @throws IOException if the client has gone
   */
  public void handle(PageExchange exchange) throws IOException {
    final boolean isHead = exchange.method().equals("HEAD");
    if (!isHead && !exchange.method().equals("GET")) {
      exchange.header("Allow", "GET, HEAD");
      exchange.sendNothing(METHOD_NOT_ALLOWED);
      return;
    }
    exchange.header("Cache-Control", "no-store");
    switch (exchange.path()) {
      case EVENTS -> events(exchange, isHead);
      case SNAPSHOT -> {
        final String json = json();
        exchange.header("Content-Type", "application/json");
        send(exchange, isHead, bytes(json == null ? "{}" : json));
      }
      default -> {
        exchange.header("Content-Type", "text/html; charset=utf-8");
        exchange.header(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';"
                + " connect-src 'self'; frame-ancestors 'none'; base-uri 'none'");
        send(exchange, isHead, HTML);
      }
    }
  }

  /** Ends all streams. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private static void send(PageExchange exchange, boolean isHead, byte[] body) throws IOException {
    if (isHead) {
      exchange.sendNothing(OK);
    } else {
      exchange.send(OK, body);
    }
  }

  private void events(PageExchange exchange, boolean isHead) throws IOException {
    if (streams.incrementAndGet() > MOST_STREAMS) {
      streams.decrementAndGet();
      exchange.header("Retry-After", "10");
      exchange.sendNothing(UNAVAILABLE);
      return;
    }
    try {
      exchange.header("Content-Type", "text/event-stream; charset=utf-8");
      exchange.header("X-Accel-Buffering", "no");
      if (isHead) {
        exchange.sendNothing(OK);
      } else {
        stream(exchange.stream(OK));
      }
    } finally {
      streams.decrementAndGet();
    }
  }

  private void stream(OutputStream out) throws IOException {
    out.write(KEEP_ALIVE); // with it go the headers
    out.flush();
    long sent = 0;
    while (true) {
      final long now = awaitNewerThan(sent);
      if (now < 0) {
        return;
      }
      final String json = now == sent ? null : json();
      out.write(json == null ? KEEP_ALIVE : bytes("data: " + json + "\n\n"));
      out.flush();
      sent = now;
    }
  }

  /**
   * Waits until there is another snapshot or it is time for a comment; negative once closed, and
   * the last snapshot is sent.
   */
  private long awaitNewerThan(long sent) throws IOException {
    lock.lock();
    try {
      long leftNs = TimeUnit.SECONDS.toNanos(KEEP_ALIVE_S);
      while (version == sent && !closed && leftNs > 0) {
        leftNs = changed.awaitNanos(leftNs);
      }
      return closed && version == sent ? -1 : version;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the server is closing", e);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable String json() {
    lock.lock();
    try {
      if (latestJson == null && latest != null) {
        latestJson = SnapshotJson.of(latest);
      }
      return latestJson;
    } finally {
      lock.unlock();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The page, with the colours of the table of reasons. */
  private static String page() {
    final String colors =
        WaitReasonTable.all().stream()
            .filter(reason -> reason.color() != null)
            .map(reason -> reason.label() + ": '" + reason.color() + "'")
            .collect(Collectors.joining(", "));
    return resource("dashboard.html").replace("/*colors of reasons*/", colors);
  }

  private static String resource(String name) {
    try (InputStream in = DashboardPages.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the jar must have its page: " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
