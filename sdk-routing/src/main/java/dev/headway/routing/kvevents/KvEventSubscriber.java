package dev.headway.routing.kvevents;

import dev.headway.routing.zmq.SequenceFrame;
import dev.headway.routing.zmq.ThreadEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZEvent;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;
import org.zeromq.ZMonitor;

/**
 * Follows the KV events of one publisher on a thread of its own, and feeds a {@link KvEventSink}.
 *
 * <p>Connects, and again whenever the connection breaks; what was missed meanwhile is asked for if
 * there is a replay endpoint. The sink is called by this thread alone.
 */
public final class KvEventSubscriber implements AutoCloseable {

  private static final int POLL_MS = 50;
  private static final int REPLAY_MS = 2_000;
  private static final int RECONNECT_MS = 100;
  private static final int RECONNECT_MAX_MS = 2_000;
  private static final int HIGH_WATER_MARK = 100_000;
  private static final int FRAMES = 3;

  /**
   * JeroMQ 0.6.0 leaves one connection in forty without an end to its handshake, and would notice
   * after 30 s only.
   */
  private static final int HANDSHAKE_MS = 1_000;

  private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(1);

  private final String endpoint;
  private final @Nullable String replayEndpoint;
  private final String topic;
  private final ZContext context = new ZContext();
  private final KvEventStream stream;
  private final Thread thread;
  private volatile boolean closed;
  private final AtomicLong malformed = new AtomicLong();
  private volatile boolean connected;

  private KvEventSubscriber(
      String endpoint, @Nullable String replayEndpoint, String topic, KvEventSink sink) {
    this.endpoint = endpoint;
    this.replayEndpoint = replayEndpoint;
    this.topic = topic;
    context.setLinger(0);
    stream = new KvEventStream(sink, replayEndpoint == null ? KvReplay.NONE : this::replay);
    thread = Thread.ofPlatform().daemon().name("headway-kv-subscriber").unstarted(this::run);
  }

  /**
   * Starts to follow a publisher.
   *
   * @param endpoint where it publishes
   * @param replayEndpoint where it answers what was missed; null for nowhere
   * @param topic prefix of the topics to receive; empty for all
   */
  public static KvEventSubscriber open(
      String endpoint, @Nullable String replayEndpoint, String topic, KvEventSink sink) {
    final KvEventSubscriber subscriber =
        new KvEventSubscriber(endpoint, replayEndpoint, topic, sink);
    subscriber.thread.start();
    return subscriber;
  }

  private void run() {
    final ZMQ.Socket sub = context.createSocket(SocketType.SUB);
    sub.setHWM(HIGH_WATER_MARK);
    sub.setReconnectIVL(RECONNECT_MS);
    sub.setReconnectIVLMax(RECONNECT_MAX_MS);
    sub.setHandshakeIvl(HANDSHAKE_MS);
    final String events = "inproc://monitor-" + System.identityHashCode(this);
    sub.monitor(events, ZMQ.EVENT_CONNECTED | ZMQ.EVENT_DISCONNECTED);
    final ZMQ.Socket monitor = context.createSocket(SocketType.PAIR);
    monitor.connect(events);
    sub.subscribe(topic.getBytes(ZMQ.CHARSET));
    sub.connect(endpoint);
    final ZMQ.Poller poller = context.createPoller(2);
    poller.register(sub, ZMQ.Poller.POLLIN);
    poller.register(monitor, ZMQ.Poller.POLLIN);
    boolean wasConnected = false;
    long heardNs = System.nanoTime();
    try {
      while (!closed) {
        poller.poll(POLL_MS);
        wasConnected |= watch(monitor); // first: a message is of the connection made before it
        if (wasConnected && poller.pollin(0)) {
          receive(sub);
          heardNs = System.nanoTime();
        } else if (connected && System.nanoTime() - heardNs > IDLE_NS) {
          stream.idle();
          heardNs = System.nanoTime();
        }
      }
    } catch (ZMQException e) {
      if (!closed) {
        throw e;
      }
    }
  }

  private boolean watch(ZMQ.Socket monitor) {
    boolean made = false;
    for (ZEvent event = ZEvent.recv(monitor, ZMQ.DONTWAIT);
        event != null;
        event = ZEvent.recv(monitor, ZMQ.DONTWAIT)) {
      connected = event.getEvent() == ZMonitor.Event.CONNECTED;
      if (connected) {
        stream.reconnected(); // also the first time: what was published before
        made = true;
      }
    }
    return made;
  }

  private void receive(ZMQ.Socket sub) {
    final List<byte[]> frames = frames(sub);
    if (frames.size() != FRAMES || frames.get(1).length != Long.BYTES) {
      malformed.incrementAndGet();
      return;
    }
    stream.receive(new KvMessage(SequenceFrame.read(frames.get(1)), frames.get(2)));
  }

  private static List<byte[]> frames(ZMQ.Socket socket) {
    final List<byte[]> frames = new ArrayList<>(FRAMES);
    byte[] frame = socket.recv(ZMQ.DONTWAIT);
    while (frame != null) {
      frames.add(frame);
      frame = socket.hasReceiveMore() ? socket.recv() : null;
    }
    return frames;
  }

  /** Asks on a fresh socket, so that the answer to an earlier question cannot be taken for it. */
  private @Nullable List<KvMessage> replay(long sequence) {
    final String address = replayEndpoint;
    if (address == null) {
      return null;
    }
    final List<KvMessage> messages = new ArrayList<>();
    try (ZMQ.Socket dealer = context.createSocket(SocketType.DEALER)) {
      dealer.setHWM(HIGH_WATER_MARK);
      dealer.setLinger(0);
      dealer.setHandshakeIvl(HANDSHAKE_MS);
      dealer.connect(address);
      dealer.sendMore(new byte[0]);
      dealer.send(SequenceFrame.of(sequence));
      final long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(REPLAY_MS);
      dealer.setReceiveTimeOut(POLL_MS);
      while (!closed && System.nanoTime() - endNs < 0) {
        final byte[] first = dealer.recv();
        if (first == null) {
          continue;
        }
        final List<byte[]> frames = new ArrayList<>(List.of(first));
        while (dealer.hasReceiveMore()) {
          frames.add(dealer.recv());
        }
        if (frames.size() == FRAMES && frames.get(1).length == Long.BYTES) {
          final long number = SequenceFrame.read(frames.get(1));
          if (number == SequenceFrame.END) {
            return messages;
          }
          messages.add(new KvMessage(number, frames.get(2)));
        } else {
          malformed.incrementAndGet();
        }
      }
    }
    return null; // a part of an answer proves nothing
  }

  /** What became of the messages. */
  public KvEventStream stream() {
    return stream;
  }

  /** Messages that had not three frames. Any thread. */
  public long malformed() {
    return malformed.get();
  }

  /** Whether there is a connection. Any thread. */
  public boolean isConnected() {
    return connected;
  }

  @Override
  public void close() {
    closed = true;
    ThreadEnd.await(thread);
    context.close();
  }
}
