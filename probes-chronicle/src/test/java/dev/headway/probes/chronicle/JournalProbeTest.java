package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.probe.RunInfo;
import dev.headway.events.record.JournalLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class JournalProbeTest {

  @TempDir Path directory;

  @Test
  @Timeout(60)
  void shouldForceRecordsToTheDeviceEveryHundredSteps() throws Exception {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      for (int step = 1; step <= 99; step++) {
        probe.onStepCompleted(new FakeResult(FakePlan.of(step)));
      }
      Thread.sleep(50);
      assertThat(probe.recordsFlushed()).isZero();

      probe.onStepCompleted(new FakeResult(FakePlan.of(100)));

      while (probe.recordsFlushed() < 101) {
        Thread.onSpinWait();
      }
      assertThat(probe.recordsWritten()).isEqualTo(101);
    }
  }

  @Test
  @Timeout(60)
  void shouldForceRecordsToTheDeviceAfterTheTime() throws Exception {
    final JournalOptions options =
        new JournalOptions(directory, JournalLevel.FULL, 100, 1, 32 << 20, 1 << 20);
    try (JournalProbe probe = JournalProbe.open(options)) {
      probe.onRunStarted(Journals.run(false));
      new KvCacheEvents(probe).removed(1, Journals.ALONE);
      while (probe.recordsFlushed() < 2) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  @Timeout(60)
  void shouldForceRecordsToTheDeviceWhenIdle() throws Exception {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      probe.onIdle(5);
      while (probe.recordsFlushed() < 1) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  @Timeout(60)
  void shouldDropAndCountInRealTimeRatherThanBlock() throws Exception {
    final JournalProbe probe = JournalProbe.open(Journals.options(directory, JournalLevel.FULL));
    probe.onRunStarted(Journals.run(false));
    final FakePlan plan = FakePlan.decodes(2_000);
    while (probe.recordsDropped() == 0) { // 32 kB each: faster than any disk, sooner or later
      probe.onPlanned(plan);
    }
    final long before = probe.recordsWritten();
    while (probe.recordsWritten() == before) {
      new KvCacheEvents(probe).removed(1, Journals.ALONE); // and goes on, once there is space again
      assertThat(probe.isRecording()).isTrue();
    }
    probe.close();

    final RunSummary run = Journals.read(directory).run();
    assertThat(run.end()).isEqualTo(RunEnd.CLEAN);
    assertThat(run.droppedRecords()).isEqualTo(probe.recordsDropped()).isPositive();
    assertThat(run.records()).isEqualTo(probe.recordsWritten());
  }

  @Test
  void shouldDropNothingInVirtualTime() throws Exception {
    final FakePlan plan = FakePlan.decodes(2_000);
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      for (int step = 0; step < 3_000; step++) {
        probe.onPlanned(plan);
      }
      assertThat(probe.recordsDropped()).isZero();
    }

    assertThat(Journals.read(directory).summary().isComplete()).isTrue();
  }

  @Test
  void shouldGiveBackWhatWasAllocatedAhead() throws IOException {
    final JournalProbe probe = JournalProbe.open(directory, JournalLevel.FULL);
    probe.onRunStarted(Journals.run(true));
    probe.close();

    assertThat(Files.size(Journals.dataFile(directory))).isLessThan(80_000);
  }

  @Test
  void shouldWriteOnAThreadWhoseInterruptIsPending() throws IOException {
    final FakePlan plan = FakePlan.decodes(2_000);
    try {
      final JournalProbe probe = Journals.start(directory, JournalLevel.FULL);
      Thread.currentThread().interrupt();
      for (int step = 0; step < 3_000; step++) {
        probe.onPlanned(plan);
      }
      probe.close();

      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
    final ReadSummary summary = Journals.read(directory).summary();
    assertThat(summary.isComplete()).isTrue();
    assertThat(summary.records()).isEqualTo(3_002);
  }

  @Test
  void shouldTakeOneRunAndNothingBeforeOrAfterIt() throws IOException {
    final JournalProbe probe = JournalProbe.open(Journals.options(directory, JournalLevel.FULL));
    final Path run = probe.directory();
    assertThatThrownBy(() -> new KvCacheEvents(probe).removed(1, Journals.ALONE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("onRunStarted must come before any event: dir=" + run);

    probe.onRunStarted(Journals.run(true));
    assertThatThrownBy(() -> probe.onRunStarted(Journals.run(true)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a journal takes one run: dir=" + run + ", state=ON");

    probe.close();
    probe.close();
    new KvCacheEvents(probe).removed(1, Journals.ALONE);
    assertThat(Journals.read(directory).run().records()).isEqualTo(2);
  }

  @Test
  void shouldRefuseAttributesThatDoNotFit() throws IOException {
    final RunInfo run = Journals.run(true);
    final RunInfo large =
        run.toBuilder()
            .attributes(
                Map.of(
                    "a",
                    "x".repeat(1 << 20),
                    "b",
                    "x".repeat(1 << 20),
                    "c",
                    "x".repeat(1 << 20),
                    "d",
                    "x".repeat(1 << 20)))
            .build();
    final JournalProbe probe = JournalProbe.open(Journals.options(directory, JournalLevel.FULL));

    assertThatThrownBy(() -> probe.onRunStarted(large))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "journal record must be <= 4194304 bytes: type=run_started, bytes>=41943");
    probe.close();
  }

  @Test
  void shouldKeepThreadsDaemonAndEndThem() throws Exception {
    final JournalProbe probe = Journals.start(directory, JournalLevel.FULL);
    assertThat(journalThreads()).isEqualTo(2);
    probe.close();

    assertThat(journalThreads()).isZero();
  }

  private static long journalThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("headway-journal"))
        .peek(thread -> assertThat(thread.isDaemon()).isTrue())
        .count();
  }
}
