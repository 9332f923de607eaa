package dev.headway.routing.kvevents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.routing.kvevents.codec.KvEvent;
import dev.headway.routing.zmq.ZmqEndpoint;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Publisher, sockets and subscriber together, on loopback. */
class KvEventSocketsTest {

  private static final String ANY = "tcp://127.0.0.1:*";
  private static final Duration LONGEST = Duration.ofSeconds(20);

  /** A subscriber that comes late gets by replay what was published before. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void shouldKnowWhatTheEngineHasThoughItCameLate(int seed) {
    final FakeEngine engine = new FakeEngine(new Random(seed));
    final KvEventIndex index = new KvEventIndex();
    final CacheChanges changes = new CacheChanges(null);
    try (KvEventPublisher publisher =
        KvEventPublisher.open(KvEventsOptions.at(ANY).withReplay(ANY).withTopic("kv@a@m"))) {
      publish(publisher, changes, engine, 50);
      try (KvEventSubscriber subscriber =
          KvEventSubscriber.open(
              publisher.endpoint(), publisher.replayEndpoint(), "kv@", index.worker("w"))) {
        publish(publisher, changes, engine, 50);

        await(() -> subscriber.stream().applied() == publisher.sent() && publisher.sent() > 50);

        for (int[] prompt : engine.prompts()) {
          assertThat(Matches.of(index, "w", prompt))
              .as("seed " + seed)
              .isEqualTo(engine.cachedTokens(prompt));
        }
        assertThat(index.blocks("w")).as("seed " + seed).isEqualTo(engine.distinctBlocks());
        assertThat(subscriber.malformed()).isZero();
      }
    }
  }

  /** At the same address comes another engine, with nothing in its cache. */
  @Test
  void shouldForgetAnEngineThatWasStartedAgain() {
    final KvEventIndex index = new KvEventIndex();
    final FakeEngine first = new FakeEngine(new Random(4));
    final KvEventPublisher publisher =
        KvEventPublisher.open(KvEventsOptions.at(ANY).withReplay(ANY));
    final String endpoint = publisher.endpoint();
    final String replay = publisher.replayEndpoint();
    try (KvEventSubscriber subscriber =
        KvEventSubscriber.open(endpoint, replay, "", index.worker("w"))) {
      publish(publisher, new CacheChanges(null), first, 60);
      await(() -> subscriber.stream().applied() == publisher.sent() && publisher.sent() > 20);
      final long before = subscriber.stream().applied();
      publisher.close();

      final FakeEngine second = new FakeEngine(new Random(5));
      try (KvEventPublisher again =
          KvEventPublisher.open(KvEventsOptions.at(bound(endpoint)).withReplay(replay))) {
        publish(again, new CacheChanges(null), second, 60);
        await(() -> subscriber.stream().applied() == before + again.sent() && again.sent() > 20);

        for (int[] prompt : second.prompts()) {
          assertThat(Matches.of(index, "w", prompt)).isEqualTo(second.cachedTokens(prompt));
        }
        assertThat(index.blocks("w")).isEqualTo(second.distinctBlocks());
      }
    }
  }

  /** An address without a star is connected to by a publisher; this one keeps its port. */
  private static String bound(String endpoint) {
    return endpoint.replace("127.0.0.1", "*");
  }

  @Test
  void shouldCountWhatFindsNoRoomAndGoOn() {
    try (KvEventPublisher publisher =
        KvEventPublisher.open(KvEventsOptions.at(ANY).withBounds(2, 4, 4))) {
      long lost = 0;
      for (int i = 0; i < 10_000; i++) {
        lost += publisher.offer(i, () -> List.of(new KvEvent.AllBlocksCleared())) ? 0 : 1;
      }
      final long dropped = lost;
      assertThat(dropped).isPositive();
      assertThat(publisher.dropped()).isEqualTo(dropped);
      await(() -> publisher.sent() == 10_000 - dropped);
    }
  }

  @Test
  void shouldSayWhichEndpointItCannotHave() {
    try (KvEventPublisher publisher = KvEventPublisher.open(KvEventsOptions.at(ANY))) {
      final String taken = bound(publisher.endpoint());

      assertThatThrownBy(() -> KvEventPublisher.open(KvEventsOptions.at(taken)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("cannot bind a ZeroMQ socket: endpoint=" + taken);
    }
  }

  @Test
  void shouldBindWhereVllmBinds() {
    assertThat(ZmqEndpoint.isBound("tcp://*:5557")).isTrue();
    assertThat(ZmqEndpoint.isBound("tcp://[::]:5557")).isTrue();
    assertThat(ZmqEndpoint.isBound("inproc://events")).isTrue();
    assertThat(ZmqEndpoint.isBound("ipc:///tmp/events")).isTrue();
    assertThat(ZmqEndpoint.isBound("tcp://indexer:5557")).isFalse();
  }

  private static void publish(
      KvEventPublisher publisher, CacheChanges changes, FakeEngine engine, int steps) {
    for (int i = 0; i < steps; i++) {
      final List<CacheChange> batch = engine.step();
      assertThat(publisher.offer(i, () -> changes.events(batch))).isTrue();
    }
  }

  private static void await(BooleanSupplier done) {
    final long endNs = System.nanoTime() + LONGEST.toNanos();
    while (!done.getAsBoolean()) {
      if (System.nanoTime() - endNs > 0) {
        throw new AssertionError("not reached within " + LONGEST);
      }
      Thread.onSpinWait();
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
