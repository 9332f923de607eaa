package dev.headway.routing.kvevents;

import dev.headway.routing.kvevents.codec.KvBatch;
import dev.headway.routing.kvevents.codec.KvEvent;
import dev.headway.routing.kvevents.codec.KvEventEncoder;
import dev.headway.routing.zmq.SendingThread;
import dev.headway.routing.zmq.SequenceFrame;
import dev.headway.routing.zmq.ThreadEnd;
import dev.headway.routing.zmq.ZmqEndpoint;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/**
 * Publishes batches of KV events on a ZeroMQ socket, and again on another to those who ask.
 *
 * <p>{@link #offer} is for one thread, never blocks and does no more than put a batch into a queue;
 * a separate thread encodes and sends. {@link #close} sends what is queued.
 */
public final class KvEventPublisher implements AutoCloseable {

  private static final int LINGER_MS = 200;
  private static final int POLL_MS = 100;
  private static final byte[] EMPTY = {};

  private final KvEventsOptions options;
  private final KvReplayBuffer published;
  private final ZContext context = new ZContext();
  private final ZMQ.Socket pub;
  private final KvEventEncoder encoder;
  private final byte[] topic;
  private final String endpoint;
  private final @Nullable String replayEndpoint;
  private final SendingThread<Pending> sender;
  private final @Nullable Thread replayer;
  private volatile boolean closed;
  private volatile long sent;

  private KvEventPublisher(KvEventsOptions options) {
    this.options = options;
    encoder = new KvEventEncoder(options.dialect());
    topic = options.topic().getBytes(ZMQ.CHARSET);
    sender =
        new SendingThread<>("headway-kv-events", options.queuedBatches(), this::send, () -> {});
    published = new KvReplayBuffer(options.replayedBatches());
    context.setLinger(LINGER_MS);
    try {
      pub = context.createSocket(SocketType.PUB);
      pub.setHWM(options.highWaterMark());
      pub.setLinger(LINGER_MS);
      endpoint = ZmqEndpoint.attach(pub, options.endpoint());
      if (options.replayEndpoint() == null) {
        replayEndpoint = null;
        replayer = null;
      } else {
        final ZMQ.Socket router = context.createSocket(SocketType.ROUTER);
        router.setLinger(LINGER_MS);
        replayEndpoint = ZmqEndpoint.bind(router, options.replayEndpoint());
        replayer =
            Thread.ofPlatform()
                .daemon()
                .name("headway-kv-events-replay")
                .unstarted(() -> answer(router));
      }
    } catch (RuntimeException e) {
      context.close();
      throw e;
    }
  }

  /**
   * Opens the sockets and starts to send.
   *
   * @throws IllegalStateException if an endpoint cannot be had
   */
  public static KvEventPublisher open(KvEventsOptions options) {
    final KvEventPublisher publisher = new KvEventPublisher(options);
    publisher.sender.start();
    if (publisher.replayer != null) {
      publisher.replayer.start();
    }
    return publisher;
  }

  /**
   * Publishes a batch.
   *
   * @param unixSeconds when its events were
   * @param events asked for on the publisher's thread; no events, no message
   * @return whether there was room for it; if not it is counted and lost
   */
  public boolean offer(double unixSeconds, Supplier<List<KvEvent>> events) {
    return sender.offer(new Pending(unixSeconds, events));
  }

  private void send(Pending pending) {
    final List<KvEvent> events = pending.events.get();
    if (!events.isEmpty()) {
      final long sequence = sent;
      final byte[] payload =
          encoder.encode(new KvBatch(pending.unixSeconds, events, options.dataParallelRank()));
      published.add(new KvMessage(sequence, payload));
      pub.sendMore(topic);
      pub.sendMore(SequenceFrame.of(sequence));
      pub.send(payload);
      sent = sequence + 1;
    }
  }

  private void answer(ZMQ.Socket router) {
    router.setReceiveTimeOut(POLL_MS);
    while (!closed) {
      final byte[] identity = router.recv();
      if (identity != null) {
        byte[] start = EMPTY;
        while (router.hasReceiveMore()) {
          start = router.recv(); // the last frame; an empty one is in front of it
        }
        if (start.length == Long.BYTES) {
          for (KvMessage message : published.from(SequenceFrame.read(start))) {
            answer(router, identity, message.sequence(), message.payload());
          }
          answer(router, identity, SequenceFrame.END, EMPTY);
        }
      }
    }
  }

  private static void answer(ZMQ.Socket router, byte[] identity, long sequence, byte[] payload) {
    router.sendMore(identity);
    router.sendMore(EMPTY);
    router.sendMore(SequenceFrame.of(sequence));
    router.send(payload);
  }

  /** Where it publishes, with the port that was chosen. */
  public String endpoint() {
    return endpoint;
  }

  /** Where it answers, with the port that was chosen; null for nowhere. */
  public @Nullable String replayEndpoint() {
    return replayEndpoint;
  }

  /** Batches published so far. Any thread. */
  public long sent() {
    return sent;
  }

  /** Batches lost because too many were waiting. Any thread. */
  public long dropped() {
    return sender.dropped();
  }

  @Override
  public void close() {
    sender.close();
    closed = true;
    if (replayer != null) {
      ThreadEnd.await(replayer);
    }
    context.close();
  }

  /** Events that become messages on the publisher's thread. */
  private record Pending(double unixSeconds, Supplier<List<KvEvent>> events) {}
}
