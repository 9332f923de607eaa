package dev.headway.routing.fpm;

import dev.headway.routing.zmq.SendingThread;
import dev.headway.routing.zmq.SequenceFrame;
import dev.headway.routing.zmq.ZmqEndpoint;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/**
 * Publishes forward-pass metrics on a ZeroMQ socket: three frames, an empty topic, the number (8
 * bytes, big-endian) and the metrics. A heartbeat goes out after a second without any.
 *
 * <p>{@link #offer} is for one thread and never blocks; a separate thread numbers and sends.
 */
public final class ForwardPassPublisher implements AutoCloseable {

  private static final int QUEUED = 10_000;
  private static final int LINGER_MS = 200;
  private static final long HEARTBEAT_NS = TimeUnit.SECONDS.toNanos(1);
  private static final byte[] NO_TOPIC = {};

  private final ZContext context = new ZContext();
  private final ZMQ.Socket pub;
  private final ForwardPassEncoder encoder;
  private final String endpoint;
  private final SendingThread<ForwardPassMetrics> sender =
      new SendingThread<>("headway-fpm", QUEUED, this::send, this::beat);
  private final AtomicLong sent = new AtomicLong();
  private long latestNs = System.nanoTime();

  private ForwardPassPublisher(String address, ForwardPassEncoder encoder) {
    this.encoder = encoder;
    pub = context.createSocket(SocketType.PUB);
    pub.setLinger(LINGER_MS);
    try {
      endpoint = ZmqEndpoint.bind(pub, address);
    } catch (IllegalStateException e) {
      context.close();
      throw e;
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
    return sender.offer(metrics);
  }

  private void beat() {
    if (System.nanoTime() - latestNs >= HEARTBEAT_NS) {
      send(ForwardPassMetrics.HEARTBEAT);
    }
  }

  private void send(ForwardPassMetrics metrics) {
    latestNs = System.nanoTime();
    final long number = sent.getAndIncrement();
    pub.sendMore(NO_TOPIC);
    pub.sendMore(SequenceFrame.of(number));
    pub.send(encoder.encode(number, metrics));
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
    return sender.dropped();
  }

  @Override
  public void close() {
    sender.close();
    context.close();
  }
}
