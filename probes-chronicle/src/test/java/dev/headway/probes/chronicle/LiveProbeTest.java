package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.events.live.LiveOptions;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.live.RecordConsumer;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.RecordVisitor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class LiveProbeTest {

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(value = JournalLevel.class, names = "OFF", mode = Mode.EXCLUDE)
  void shouldTellWhatAJournalOfItsLevelTells(JournalLevel level) throws IOException {
    try (var journal = Journals.start(directory, level)) {
      Journals.playEverything(journal);
    }
    final Telling given = new Telling();

    try (LiveProbe probe = LiveProbe.of(LiveOptions.DEFAULT.withLevel(level), List.of(given))) {
      probe.onRunStarted(Journals.run(true));
      Journals.playEverything(probe);
    }

    assertThat(given.told()).isEqualTo(Journals.read(directory).told());
    assertThat(given.calls).endsWith("flush " + given.told().size(), "close");
  }

  @Test
  void shouldLoseNothingInVirtualTimeHoweverSmallTheRing() {
    final Telling given = new Telling();
    final int rounds = 500;

    try (LiveProbe probe =
        LiveProbe.of(LiveOptions.DEFAULT.withRingBytes(1 << 14), List.of(given))) {
      probe.onRunStarted(Journals.run(true));
      for (int round = 0; round < rounds; round++) {
        new KvCacheEvents(probe).removed(round, Journals.ALONE);
        Journals.playEverything(probe);
      }
      assertThat(probe.recordsDropped()).isZero();
    }

    assertThat(given.told().stream().filter(line -> line.startsWith("queued 0"))).hasSize(rounds);
  }

  @Test
  void shouldDropAndSaySoWhenItsConsumerIsTooSlow() throws InterruptedException {
    final CountDownLatch mayGoOn = new CountDownLatch(1);
    final Telling given = new Telling();
    given.beforeFirstRecord = mayGoOn;
    final int events = 10_000;
    final LiveProbe probe =
        LiveProbe.of(LiveOptions.DEFAULT.withRingBytes(1 << 14), List.of(given));
    probe.onRunStarted(Journals.run(false));

    for (int event = 0; event < events; event++) {
      new KvCacheEvents(probe).removed(event, Journals.ALONE);
    }
    final long dropped = probe.recordsDropped();
    mayGoOn.countDown();
    probe.close();

    assertThat(dropped).isPositive();
    final List<String> told = given.told();
    final long removed = told.stream().filter(line -> line.startsWith("removed")).count();
    assertThat(removed + dropped).isEqualTo(events);
    assertThat(told).contains("dropped " + dropped);
    assertThat(told.get(told.size() - 1)).startsWith("ended");
  }

  @Test
  void shouldLeaveOutAConsumerThatThrowsAndServeTheOthers() {
    final Telling broken = new Telling();
    broken.failure = new AssertionError("planted");
    final Telling given = new Telling();

    final LiveProbe probe = LiveProbe.of(LiveOptions.DEFAULT, List.of(broken, given));
    probe.onRunStarted(Journals.run(true));
    Journals.playEverything(probe);
    probe.close();

    assertThat(probe.consumersFailed()).isEqualTo(1);
    assertThat(given.told()).hasSizeGreaterThan(20);
    assertThat(broken.calls).containsExactly("close");
  }

  @Test
  void shouldCountWhatNobodyHearsAnyMore() {
    final Telling broken = new Telling();
    broken.failure = new IllegalStateException("planted");
    final LiveProbe probe = LiveProbe.of(broken);
    probe.onRunStarted(Journals.run(true));
    while (probe.consumersFailed() == 0) {
      Thread.onSpinWait();
    }

    while (probe.recordsDropped() == 0) { // the relay tells it a moment later
      new KvCacheEvents(probe).cleared();
    }
    probe.close();

    assertThat(broken.calls).containsExactly("close");
  }

  @Test
  void shouldCloseItsConsumersThoughTheRunNeverBegan() {
    final Telling given = new Telling();

    LiveProbe.of(given).close();

    assertThat(given.calls).containsExactly("close");
    assertThat(given.told()).isEmpty();
  }

  @Test
  void shouldRefuseToHaveNoConsumer() {
    assertThatThrownBy(() -> LiveProbe.of(LiveOptions.DEFAULT, List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a live probe must have a consumer: consumers=0");
  }

  @Test
  void shouldRefuseARingOfAnOddSizeAndTheLevelOff() {
    assertThatThrownBy(() -> LiveOptions.DEFAULT.withRingBytes(20_000))
        .hasMessage("ringBytes must be a power of two in [16384, 1073741824]: ringBytes=20000");
    assertThatThrownBy(() -> LiveOptions.DEFAULT.withLevel(JournalLevel.OFF))
        .hasMessageContaining("level=off");
  }

  /** Notes what it is told, and the calls around it. */
  private static final class Telling implements RecordConsumer {

    private final TellingVisitor visitor = new TellingVisitor();
    private final List<String> calls = new ArrayList<>();
    private CountDownLatch beforeFirstRecord = new CountDownLatch(0);
    private Throwable failure;

    @Override
    public RecordVisitor visitor() {
      try {
        beforeFirstRecord.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (failure instanceof Error error) {
        throw error;
      }
      if (failure instanceof RuntimeException exception) {
        throw exception;
      }
      return visitor;
    }

    List<String> told() {
      return visitor.told();
    }

    @Override
    public void flush(long records) {
      calls.add("flush " + records);
    }

    @Override
    public void close() {
      calls.add("close");
    }
  }
}
