package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.KvRemovedRecord;
import dev.headway.events.record.PlannedStep;
import dev.headway.events.record.RecordVisitor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to a journal, and around it, when its file system is full. Compiled by C2 first. */
class JournalDiskFullTest {

  private static final int WARM_UP = 60_000;

  @TempDir Path directory;

  private Path small;

  @BeforeEach
  void mountASmallFileSystem() throws Exception {
    small = Files.createDirectory(directory.resolve("small"));
    assumeThat(run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", small.toString()))
        .as("this test mounts a tmpfs of 8 MiB and needs the right to do so (root)")
        .isZero();
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", "-l", small.toString());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldSwitchOffAndKeepEveryRecord(boolean virtualTime) throws Exception {
    final Engine engine = new Engine();
    engine.warmUp(directory.resolve("warm"));

    final JournalProbe probe = JournalProbe.open(Journals.options(small, JournalLevel.FULL));
    probe.onRunStarted(Journals.run(virtualTime));
    engine.attach(probe);
    while (engine.isAttached() && (probe.isRecording() || engine.steps % 5_000 != 0)) {
      engine.step();
    }
    assertThat(probe.isRecording()).isFalse();
    final long written = probe.recordsWritten();
    for (int step = 0; step < 20_000; step++) {
      engine.step();
    }
    engine.detach();

    assertThat(engine.escaped).isZero();
    assertThat(probe.recordsDropped()).isGreaterThanOrEqualTo(40_000);
    final Increasing increasing = new Increasing();
    try (JournalReader reader = JournalReader.open(small)) {
      final RunSummary run = reader.readAll(increasing).runs().get(0);
      assertThat(run.end()).as(run.message()).isEqualTo(RunEnd.CLEAN);
      // two more at the end: how many were dropped, and the end itself
      assertThat(run.records()).isEqualTo(probe.recordsWritten()).isEqualTo(written + 2);
      assertThat(run.droppedRecords()).isEqualTo(probe.recordsDropped());
    }
    if (virtualTime) {
      assertThat(increasing.gaps).isZero();
    }
    assertThat(increasing.seen + increasing.planned + probe.recordsDropped())
        .isEqualTo(2L * engine.steps);
  }

  /**
   * Takes the allocated space away, as a copy-on-write file system could, so that the store itself
   * faults: the JVM throws an InternalError, in compiled code past the probe.
   */
  @Test
  void shouldKeepTheRecordsBeforeAFaultInMappedMemory() throws Exception {
    final Engine engine = new Engine();
    engine.warmUp(directory.resolve("warm"));
    final JournalProbe probe = JournalProbe.open(Journals.options(small, JournalLevel.FULL));
    probe.onRunStarted(Journals.run(false));
    engine.attach(probe);
    engine.step();
    final Path file = Journals.dataFile(small);
    while (allocatedBytes(file) < 2 << 20) {
      Thread.onSpinWait();
    }
    takeSpaceAway(file, 512 << 10);
    fill(small.resolve("filler"));

    while (engine.isAttached() && probe.isRecording()) {
      engine.step();
    }
    for (int step = 0; step < 20_000; step++) {
      engine.step();
    }
    engine.detach();

    final Increasing increasing = new Increasing();
    try (JournalReader reader = JournalReader.open(small)) {
      final RunSummary run = reader.readAll(increasing).runs().get(0);
      // a torn record fails its checksum; a whole one before the fault is the last
      assertThat(run.records()).as(run.message()).isBetween(100L, probe.recordsWritten());
      assertThat(run.records()).isGreaterThanOrEqualTo(probe.recordsWritten() - 2);
    }
    assertThat(increasing.gaps).isZero();
  }

  @Test
  void shouldSayAtOnceThatThereIsNoRoom() throws IOException {
    fill(small.resolve("filler"));

    assertThatThrownBy(() -> JournalProbe.open(small, JournalLevel.FULL))
        .isInstanceOf(JournalException.class)
        .hasMessage(
            "journal directory must be writable and have room: dir="
                + small
                + ", freeBytes=0, cause=java.io.IOException: No space left on device");
    assertThat(small)
        .isDirectoryNotContaining(each -> each.getFileName().toString().startsWith("run"));
  }

  @Test
  void shouldSayWhatIsInTheWayOfTheDirectory() throws IOException {
    final Path file = Files.createFile(small.resolve("file"));

    assertThatThrownBy(() -> JournalProbe.open(file.resolve("journal"), JournalLevel.FULL))
        .isInstanceOf(JournalException.class)
        .hasMessageMatching(
            "journal directory must be writable and have room: dir="
                + file
                + "/journal, freeBytes=\\d+, cause=java.nio.file.FileSystemException: "
                + file
                + "/journal: Not a directory");
  }

  @Test
  void shouldSwitchOffAndGoOnWhenTheDirectoryVanishes() throws Exception {
    final ByteArrayOutputStream log = new ByteArrayOutputStream();
    final PrintStream standardError = System.err;
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      switchOffWhenTheDirectoryVanishes();
    } finally {
      System.setErr(standardError);
    }

    assertThat(log.toString(StandardCharsets.UTF_8).lines())
        .singleElement()
        .asString()
        .contains("ERROR", "journal switched off, scheduling goes on without it: dir=", "written=");
  }

  private void switchOffWhenTheDirectoryVanishes() throws Exception {
    final Engine engine = new Engine();
    final JournalProbe probe = Journals.start(directory.resolve("journal"), JournalLevel.FULL);
    engine.attach(probe);
    engine.step();
    try (var files = Files.list(probe.directory())) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(probe.directory());

    final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (probe.isRecording() && System.nanoTime() < deadline) {
      engine.step();
      engine.complete();
    }
    final boolean recording = probe.isRecording();
    final long written = probe.recordsWritten();
    engine.step();
    engine.detach();

    assertThat(recording).as("still records into a file that nobody can open").isFalse();
    assertThat(probe.recordsWritten()).isEqualTo(written);
    assertThat(probe.recordsDropped()).isPositive();
    assertThat(engine.escaped).isZero();
    assertThat(probe.directory()).doesNotExist();
  }

  private static int run(String... command) throws Exception {
    try {
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      return -1;
    }
  }

  private static long allocatedBytes(Path file) throws IOException {
    final Object blocks = Files.getAttribute(file, "unix:size");
    final long free = Files.getFileStore(file).getUsableSpace();
    return blocks == null ? 0 : (8 << 20) - free;
  }

  private static void takeSpaceAway(Path file, long from) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
      final long size = channel.size();
      channel.truncate(from);
      access.setLength(size);
    }
  }

  private static void fill(Path file) {
    try (OutputStream out = Files.newOutputStream(file)) {
      final byte[] bytes = new byte[4_096];
      while (true) {
        out.write(bytes);
      }
    } catch (IOException full) {
      // as intended
    }
  }

  /** What an engine does: calls the probe in a step, and guards the step as a whole. */
  private static final class Engine {
    private final FakePlan plan = FakePlan.decodes(8);
    private final FakeResult result = new FakeResult(plan);
    private JournalProbe probe;
    long steps;
    int escaped;

    void warmUp(Path journal) throws IOException {
      attach(Journals.start(journal, JournalLevel.FULL));
      for (int step = 0; step < WARM_UP; step++) {
        step();
      }
      detach();
      steps = 0;
    }

    void attach(JournalProbe next) {
      probe = next;
    }

    boolean isAttached() {
      return probe != null;
    }

    void step() {
      try {
        schedule();
      } catch (InternalError e) {
        escaped++;
        detach();
      }
      steps++;
    }

    void complete() {
      probe.onStepCompleted(result);
    }

    void detach() {
      try {
        if (probe != null) {
          probe.close();
        }
      } catch (InternalError e) {
        escaped++;
      }
      probe = null;
    }

    private void schedule() {
      if (probe != null) {
        new KvCacheEvents(probe).removed(steps, Journals.ALONE);
        plan.stepId = steps;
        probe.onPlanned(plan);
      }
    }
  }

  /** Sees numbers in order. */
  private static final class Increasing implements RecordVisitor {
    private long last = -1;
    long seen;
    long planned;
    long gaps;

    @Override
    public void onKvRemoved(KvRemovedRecord removed) {
      assertThat(removed.contentHash()).isGreaterThan(last);
      gaps += removed.contentHash() == last + 1 ? 0 : 1;
      last = removed.contentHash();
      seen++;
    }

    @Override
    public void onPlanned(PlannedStep step) {
      assertThat(step.batchSize()).isEqualTo(8);
      assertThat(step.number(7)).isEqualTo(7);
      planned++;
    }
  }
}
