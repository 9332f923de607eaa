package dev.headway.routing.kvevents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.routing.kvevents.codec.KvBatch;
import dev.headway.routing.kvevents.codec.KvEvent;
import dev.headway.routing.kvevents.codec.KvEventDialect;
import dev.headway.routing.kvevents.codec.KvEventEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What an index knows after messages were lost, repeated, late and replayed, engines started again
 * and batches dropped: exactly what the engine has, or as much of it as its messages still tell.
 */
class KvEventSchedulesTest {

  private static final int SCHEDULES = 1_000;

  /** Everything can be had again: the index must be the truth, whatever happened on the way. */
  @Test
  void shouldKnowExactlyWhatTheEngineHasAfterAnySchedule() {
    long replays = 0;
    long resets = 0;
    for (int seed = 0; seed < SCHEDULES; seed++) {
      final Schedule schedule = new Schedule(seed, 10_000);

      schedule.run();
      schedule.stream.idle();

      schedule.check("seed " + seed, true);
      replays += schedule.stream.replays();
      resets += schedule.stream.resets();
    }
    assertThat(replays).as("replays").isGreaterThan(SCHEDULES);
    assertThat(resets).as("resets").isGreaterThan(SCHEDULES / 4);
  }

  /** A replay that has forgotten most: the index may lack blocks, but never claims one. */
  @Test
  void shouldNeverKnowMoreThanTheEngineHas() {
    for (int seed = 0; seed < SCHEDULES; seed++) {
      final Schedule schedule = new Schedule(seed, 3);

      schedule.run();
      schedule.stream.idle();

      schedule.check("seed " + seed, false);
    }
  }

  /** One engine, started again at times, and a stream that loses what it carries. */
  private static final class Schedule {

    private final Random random;
    private final int kept;
    private final KvEventIndex index = new KvEventIndex();
    private final KvEventStream stream;
    private FakeEngine engine;
    private CacheChanges changes = new CacheChanges(null);
    private KvReplayBuffer buffer;
    private long sequence;
    private boolean lost;
    private double now = 1_000;
    private final KvEventEncoder encoder;
    private final List<KvMessage> late = new ArrayList<>();

    Schedule(int seed, int kept) {
      random = new Random(seed);
      this.kept = kept;
      encoder =
          new KvEventEncoder(
              KvEventDialect.values()[random.nextInt(KvEventDialect.values().length)]);
      engine = new FakeEngine(random);
      buffer = new KvReplayBuffer(kept);
      stream =
          new KvEventStream(
              index.worker("w"), from -> random.nextInt(50) == 0 ? null : buffer.from(from));
    }

    void run() {
      final double lossRate = random.nextInt(4) / 8.0;
      for (int step = 0; step < 120; step++) {
        switch (random.nextInt(40)) {
          case 0 -> restart();
          case 1 -> stream.reconnected();
          case 2 -> stream.idle();
          default -> step(lossRate);
        }
      }
      settle();
    }

    /** Ends with an answer that was not refused. */
    private void settle() {
      while (lost) {
        step(0);
      }
      for (int i = 0; i < 3; i++) {
        stream.idle();
      }
    }

    private void restart() {
      engine = new FakeEngine(random);
      changes = new CacheChanges(null);
      buffer = new KvReplayBuffer(kept);
      sequence = 0;
      lost = false;
      late.clear(); // a connection carries nothing from before
      stream.reconnected();
    }

    private void step(double lossRate) {
      now += 0.01;
      final List<CacheChange> batch = engine.step();
      if (lost) {
        batch.add(0, new CacheChange.Cleared());
      }
      lost = kept < 1_000 && random.nextInt(30) == 0; // the queue was full
      if (lost) {
        return;
      }
      final List<KvEvent> events = changes.events(batch);
      if (events.isEmpty()) {
        return;
      }
      final KvMessage message =
          new KvMessage(sequence++, encoder.encode(new KvBatch(now, events, 0)));
      buffer.add(message);
      if (random.nextDouble() >= lossRate) {
        stream.receive(message);
        if (random.nextInt(10) == 0) {
          late.add(message);
        }
      }
      if (!late.isEmpty() && random.nextInt(5) == 0) {
        stream.receive(late.remove(0)); // for the second time
      }
    }

    void check(String description, boolean complete) {
      for (int[] prompt : engine.prompts()) {
        final int expected = engine.cachedTokens(prompt);
        final int matched = Matches.of(index, "w", prompt);
        if (complete) {
          assertThat(matched).as(description).isEqualTo(expected);
        } else {
          assertThat(matched).as(description).isLessThanOrEqualTo(expected);
        }
      }
      if (complete) {
        assertThat(index.blocks("w")).as(description).isEqualTo(engine.distinctBlocks());
      }
    }
  }
}
