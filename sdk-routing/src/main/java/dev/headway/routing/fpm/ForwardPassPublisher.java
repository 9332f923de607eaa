package dev.headway.routing.fpm;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * Publishes forward-pass metrics on a ZeroMQ socket: three frames, an empty topic, the number (8
 * bytes, big-endian) and the metrics. A heartbeat goes out after a second without any.
 *
 * <p>{@link #offer} is for one thread and never blocks; a separate thread numbers and sends.
 */
public final class ForwardPassPublisher implements AutoCloseable {

  private static final int QUEUED = 10_000;
  private static final int LINGER_MS = 200;
  private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long HEARTBEAT_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long JOIN_MS = 5_000;
  private static final byte[] NO_TOPIC = {};

  private final ArrayBlockingQueue<ForwardPassMetrics> queue = new ArrayBlockingQueue<>(QUEUED);
  private final ZContext context = new ZContext();
  private final ForwardPassEncoder encoder;
  private final String endpoint;
  private final Thread sender;
  private final AtomicLong dropped = new AtomicLong();
  private volatile boolean closed;
  private final AtomicLong sent = new AtomicLong();

  private ForwardPassPublisher(String address, ForwardPassEncoder encoder) {
    this.encoder = encoder;
    try {
      final ZMQ.Socket pub = context.createSocket(SocketType.PUB);
      pub.setLinger(LINGER_MS);
      pub.bind(address);
      endpoint = pub.getLastEndpoint();
      sender = Thread.ofPlatform().daemon().name("headway-fpm").unstarted(() -> send(pub));
    } catch (ZMQException | IllegalArgumentException | UnsupportedOperationException e) {
      context.close();
      throw new IllegalStateException(
          "cannot bind a ZeroMQ socket: endpoint=" + address + ", " + e.getMessage(), e);
    }
  }

  /**
   * Binds a socket and starts to send.
   *
   * @param address in ZeroMQ's notation, for example {@code tcp://*:20380}
   * @param workerId the {@code worker_id} of every message
   * @param rank the engine's data-parallel rank, from 0
   * @param timingScope what {@code wall_time} spans, for shape F2; null for F1
   * @throws IllegalStateException if the address cannot be had
   */
  public static ForwardPassPublisher open(
      String address, String workerId, int rank, @Nullable String timingScope) {
    final ForwardPassPublisher publisher =
        new ForwardPassPublisher(address, new ForwardPassEncoder(workerId, rank, timingScope));
    publisher.sender.start();
    return publisher;
  }

  /** Publishes metrics; returns whether there was room for them, or else they are counted. */
  public boolean offer(ForwardPassMetrics metrics) {
    final boolean taken = queue.offer(metrics);
    if (!taken) {
      dropped.incrementAndGet();
    }
    return taken;
  }

  private void send(ZMQ.Socket pub) {
    long latestNs = System.nanoTime();
    while (true) {
      final boolean last = closed;
      ForwardPassMetrics metrics = queue.poll();
      if (metrics == null && last) {
        return;
      }
      if (metrics == null && System.nanoTime() - latestNs >= HEARTBEAT_NS) {
        metrics = ForwardPassMetrics.HEARTBEAT;
      }
      if (metrics == null) {
        LockSupport.parkNanos(IDLE_NS);
      } else {
        latestNs = System.nanoTime();
        final long number = sent.getAndIncrement();
        pub.sendMore(NO_TOPIC);
        pub.sendMore(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
        pub.send(encoder.encode(number, metrics));
      }
    }
  }

  /** Where it publishes, with the port that was chosen. */
  public String endpoint() {
    return endpoint;
  }

  /** Messages published so far, heartbeats included. Any thread. */
  public long sent() {
    return sent.get();
  }

  /** Metrics lost because too many were waiting. Any thread. */
  public long dropped() {
    return dropped.get();
  }

  @Override
  public void close() {
    closed = true;
    try {
      sender.join(JOIN_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    context.close();
  }
}
