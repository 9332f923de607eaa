package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.api.step.EntryKind;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.KvRemovedRecord;
import dev.headway.events.record.RecordVisitor;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalReaderTest {

  private static final int MANY = 1_200_000;

  @TempDir Path directory;

  @Test
  void shouldFollowALiveJournalRecordByRecord() throws IOException {
    final TellingVisitor visitor = new TellingVisitor();
    final JournalProbe probe = Journals.start(directory, JournalLevel.FULL);
    try (JournalReader reader = JournalReader.openLatest(directory)) {
      assertThat(reader.poll(visitor, 10)).isEqualTo(1);
      assertThat(reader.poll(visitor, 10)).isZero();
      assertThat(reader.summary().runs().get(0).end()).isEqualTo(RunEnd.OPEN);

      for (int round = 0; round < 3_000; round++) {
        new KvCacheEvents(probe).removed(round, Journals.ALONE);
        assertThat(reader.poll(visitor, 10)).isEqualTo(1);
      }
      new KvCacheEvents(probe).removed(1, Journals.ALONE);
      new KvCacheEvents(probe).removed(2, Journals.ALONE);
      new KvCacheEvents(probe).removed(3, Journals.ALONE);
      assertThat(reader.poll(visitor, 2)).isEqualTo(2);
      assertThat(reader.poll(visitor, 2)).isEqualTo(1);
      probe.close();

      assertThat(reader.poll(visitor, 10)).isEqualTo(1);
      assertThat(reader.poll(visitor, 10)).isZero();
      assertThat(reader.summary().isComplete()).isTrue();
      assertThat(reader.recordsRead()).isEqualTo(3_005);
    }
  }

  @Test
  void shouldSeeEveryRecordOfAWriterOnAnotherThread() throws Exception {
    final int events = 200_000;
    final List<Long> seen = new ArrayList<>();
    final JournalProbe probe = Journals.start(directory, JournalLevel.FULL);
    final Thread writer =
        new Thread(
            () -> {
              for (int event = 0; event < events; event++) {
                new KvCacheEvents(probe).removed(event, Journals.ALONE);
              }
              probe.close();
            });
    final RecordVisitor visitor =
        new RecordVisitor() {
          @Override
          public void onKvRemoved(KvRemovedRecord removed) {
            seen.add(removed.contentHash());
          }
        };

    try (JournalReader reader = JournalReader.openLatest(directory)) {
      writer.start();
      do {
        reader.poll(visitor, 1_000);
      } while (reader.summary().runs().get(0).end() == RunEnd.OPEN);
      assertThat(reader.summary().isComplete()).isTrue();
    }

    writer.join();
    assertThat(seen).hasSize(events).isSorted();
  }

  @Test
  void shouldReadTheRunsOfADirectoryInOrder() throws IOException {
    for (int run = 1; run <= 3; run++) {
      try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
        assertThat(probe.directory()).isEqualTo(directory.resolve("run-00000" + run));
        new KvCacheEvents(probe).removed(run, Journals.ALONE);
      }
    }

    final Journals.Read read = Journals.read(directory);

    assertThat(read.told())
        .filteredOn(line -> line.startsWith("removed"))
        .containsExactly("removed 1 128", "removed 2 128", "removed 3 128");
    assertThat(read.summary().runs()).hasSize(3);
    assertThat(Journals.read(directory.resolve("run-000002")).told()).contains("removed 2 128");
    try (JournalReader latest = JournalReader.openLatest(directory)) {
      assertThat(latest.readAll(new RecordVisitor() {}).runs())
          .extracting(RunSummary::directory)
          .containsExactly(directory.resolve("run-000003"));
    }
  }

  @Test
  void shouldKeepTwoEnginesInOneDirectoryApart() throws IOException {
    try (JournalProbe one = Journals.start(directory, JournalLevel.FULL);
        JournalProbe two = Journals.start(directory, JournalLevel.FULL)) {
      final SchedulerEvents events = new SchedulerEvents(two);
      for (int round = 0; round < 1_000; round++) {
        new KvCacheEvents(one).removed(1, Journals.ALONE);
        events.admitted(round, Journals.request(2, "r", 1), EntryKind.NEW, 0, 0, 0);
      }
    }

    final ReadSummary summary = Journals.read(directory).summary();
    assertThat(summary.isComplete()).isTrue();
    assertThat(summary.runs()).extracting(RunSummary::records).containsExactly(1_002L, 1_002L);
  }

  @Test
  void shouldSayHowFarARunIsThatIsBeingWritten() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      final FakePlan plan = FakePlan.of(41);
      probe.onPlanned(plan);
      probe.onStepCompleted(new FakeResult(plan));
      new KvCacheEvents(probe).removed(1, Journals.ALONE);

      assertThat(Journals.read(directory).run().message())
          .isEqualTo(
              "journal is still being written: dir="
                  + directory.resolve("run-000001")
                  + ", records=4, lastRecord=kv_removed, lastStepId=41, lastInstantNs=411003");
    }
  }

  @Test
  void shouldSayThatARunIsStillBeingWritten() throws IOException {
    final JournalEnd live;
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      final FakePlan plan = FakePlan.of(41);
      probe.onPlanned(plan);
      probe.onStepCompleted(new FakeResult(plan));
      live = conclude();
    }
    final JournalEnd clean = conclude();

    assertThat(live.state()).isEqualTo(JournalEnd.State.LIVE);
    assertThat(live.detail()).isEqualTo("run-000001: still being written, read up to step 41");
    assertThat(clean.state()).isEqualTo(JournalEnd.State.CLEAN);
    assertThat(directory.resolve("run-000001")).isDirectoryNotContaining("glob:**lock");
  }

  private JournalEnd conclude() throws IOException {
    try (JournalSource source = JournalSource.open(directory)) {
      return source.conclude(new RecordVisitor() {});
    }
  }

  @Test
  void shouldTellHowFarItIs() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      Journals.playEverything(probe);
    }

    try (JournalReader reader = JournalReader.open(directory)) {
      assertThat(reader.bytesRead()).isZero();
      assertThat(reader.bytesTotal()).isEqualTo(Files.size(Journals.dataFile(directory)));
      reader.poll(new RecordVisitor() {}, 5);
      assertThat(reader.recordsRead()).isEqualTo(5);
      assertThat(reader.bytesRead()).isStrictlyBetween(0L, reader.bytesTotal());
      reader.readAll(new RecordVisitor() {});
      assertThat(reader.bytesRead()).isEqualTo(reader.bytesTotal());
    }
  }

  @Test
  void shouldLeaveTheDirectoryAsItWas() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      Journals.playEverything(probe);
    }
    final Map<Path, String> before = contents();

    Journals.read(directory);

    assertThat(contents()).isEqualTo(before);
  }

  @Test
  void shouldRefuseWhatIsNoJournal() throws IOException {
    final Path missing = directory.resolve("missing");
    assertRefused(missing, "there is no journal at " + missing + ": no such directory");

    final Path empty = Files.createDirectory(directory.resolve("empty"));
    assertRefused(empty, "there is no journal in " + empty + ": it has no run-NNNNNN");

    final Path file = Files.writeString(directory.resolve("file"), "text");
    assertRefused(file, "there is no journal at " + file + ": it is a file");

    final Path around = Files.createDirectory(directory.resolve("around"));
    Journals.start(around.resolve("journal"), JournalLevel.FULL).close();
    assertRefused(
        around,
        "there is no journal in "
            + around
            + ": it has no run-NNNNNN; did you mean "
            + around.resolve("journal")
            + "?");

    final Path text = run("text", "not a queue at all".getBytes());
    assertRefused(
        text,
        "there is no journal in "
            + text
            + ": none of its runs has a start record; file is no Chronicle queue: file="
            + text.resolve("run-000001/x.cq4")
            + ", bytes=18");

    final Path zeros = run("zeros", new byte[100_000]);
    assertRefused(
        zeros,
        "there is no journal in "
            + zeros
            + ": none of its runs has a start record; file is no Chronicle queue: file="
            + zeros.resolve("run-000001/x.cq4")
            + ", bytes=100000");

    final Path none = Files.createDirectories(directory.resolve("none/run-000001")).getParent();
    assertRefused(
        none,
        "there is no journal in "
            + none
            + ": none of its runs has a start record; run has no .cq4 file: dir="
            + none.resolve("run-000001"));
  }

  @Test
  void shouldRefuseAQueueOfSomebodyElse() throws IOException {
    try (SingleChronicleQueue queue =
            SingleChronicleQueueBuilder.single(directory.toFile()).build();
        ExcerptAppender appender = queue.createAppender()) {
      appender.writeText("this is somebody else's queue, with a message");
    }

    assertThatThrownBy(() -> JournalReader.open(directory))
        .isInstanceOf(JournalException.class)
        .hasMessageStartingWith(
            "there is no journal in "
                + directory
                + ": none of its runs has a start record; journal record is damaged: file=")
        .hasMessageContaining(", sequence=1, expected ");
  }

  @Test
  void shouldRefuseAQueueWithoutAStartRecordAndReadTheOtherRuns() throws IOException {
    final JournalProbe unstarted =
        JournalProbe.open(Journals.options(directory, JournalLevel.FULL));
    final Path first = Journals.dataFile(directory);

    assertRefused(
        directory,
        "there is no journal in "
            + directory
            + ": none of its runs has a start record; file is no Chronicle queue: file="
            + first
            + ", bytes="
            + Files.size(first));

    Journals.start(directory, JournalLevel.FULL).close();
    final ReadSummary summary = Journals.read(directory).summary();
    assertThat(summary.runs())
        .extracting(RunSummary::end)
        .containsExactly(RunEnd.LIVE, RunEnd.CLEAN);
    unstarted.close();
    assertThat(Files.exists(directory.resolve("run-000001"))).isFalse();
  }

  @Test
  void shouldSkipAndCountRecordsOfUnknownTypes() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      new KvCacheEvents(probe).removed(1, Journals.ALONE);
      new KvCacheEvents(probe).removed(2, Journals.ALONE);
    }
    final JournalBytes bytes = JournalBytes.of(Journals.dataFile(directory));
    bytes.setType(1, 99).save();

    final Journals.Read read = Journals.read(directory);

    assertThat(read.told().subList(1, 3)).containsExactly("removed 2 128", "ended 0");
    assertThat(read.summary().unknownRecords()).isEqualTo(1);
    assertThat(read.summary().isComplete()).isFalse();
    assertThat(read.run().message())
        .startsWith("journal is complete: ")
        .endsWith(", unknownRecords=1");
  }

  @Test
  void shouldIgnoreWhatANewerMinorVersionAppendsToARecord() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      new KvCacheEvents(probe).removed(1, Journals.ALONE);
      new SchedulerEvents(probe).unblocked(7, Journals.request(8, "r", 1));
    }
    final JournalBytes bytes = JournalBytes.of(Journals.dataFile(directory));
    bytes.setType(2, 15).save(); // kv_removed, with four bytes more than we know

    assertThat(Journals.read(directory).told().get(2)).isEqualTo("removed 7 8");
  }

  @Test
  void shouldRefuseANewerMajorVersion() throws IOException {
    Journals.start(directory, JournalLevel.FULL).close();
    final Path file = Journals.dataFile(directory);
    JournalBytes.of(file).setSchemaVersion(0, 3).save();

    assertRefused(
        directory,
        "journal was written by a newer version: file="
            + file
            + ", schemaVersion=3, newest readable=2");
  }

  @Test
  void shouldCallARecordTooShortForItsTypeDamaged() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      new KvCacheEvents(probe).removed(1, Journals.ALONE);
    }
    JournalBytes.of(Journals.dataFile(directory)).setType(1, 4).save();

    final RunSummary run = Journals.read(directory).run();

    assertThat(run.end()).isEqualTo(RunEnd.DAMAGED);
    assertThat(run.damage().problem()).startsWith("expected a payload of >= ").endsWith("found 12");
    assertThat(run.damage().sequence()).isEqualTo(2);
  }

  @Test
  void shouldReadTheRunsBehindADamagedOne() throws IOException {
    for (int run = 0; run < 2; run++) {
      try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
        new KvCacheEvents(probe).removed(run, Journals.ALONE);
      }
    }
    final JournalBytes bytes = JournalBytes.of(Journals.dataFile(directory));
    bytes.flip(bytes.offset(1) + 20).save();

    final Journals.Read read = Journals.read(directory);

    assertThat(read.summary().runs())
        .extracting(RunSummary::end)
        .containsExactly(RunEnd.DAMAGED, RunEnd.CLEAN);
    assertThat(read.told()).contains("removed 1 128").doesNotContain("removed 0 128");
    assertThat(read.summary().damage().orElseThrow().message())
        .matches(
            "journal record is damaged: file=.*run-000001/[^/]+\\.cq4, offset="
                + (bytes.offset(1) - 4)
                + ", sequence=2, expected crc [0-9a-f]{8}, found [0-9a-f]{8};"
                + " the 1 records before it are intact");
  }

  /** The format is Chronicle's: its own reader finds the same records. */
  @Test
  void shouldHoldOneExcerptPerRecordForChroniclesOwnTailer() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      Journals.playEverything(probe);
      // beyond the first page of Chronicle's index, and the first mapped block
      for (int event = 0; event < MANY; event++) {
        new KvCacheEvents(probe).removed(event, Journals.ALONE);
      }
    }
    final JournalBytes ours = JournalBytes.of(Journals.dataFile(directory));

    final Path run = directory.resolve("run-000001");
    final Bytes<?> excerpt = Bytes.allocateElasticOnHeap();
    int count = 0;
    try (SingleChronicleQueue queue =
            SingleChronicleQueueBuilder.single(run.toFile()).readOnly(true).build();
        ExcerptTailer tailer = queue.createTailer()) {
      while (tailer.readBytes(excerpt)) {
        if (!Arrays.equals(excerpt.toByteArray(), ours.record(count++))) {
          throw new AssertionError("excerpt differs: record=" + count);
        }
        excerpt.clear();
      }
    }

    assertThat(count).isEqualTo(ours.count()).isEqualTo(MANY + 30);
    assertThat(Journals.read(directory).summary().records()).isEqualTo(count);
  }

  /** Puts the records of a journal into a file as earlier versions wrote it. */
  private static void indexDensely(Path file) throws IOException {
    final JournalBytes sparse = JournalBytes.of(file);
    Files.delete(file);
    Files.delete(file.resolveSibling("metadata.cq4t"));
    try (SingleChronicleQueue queue =
            SingleChronicleQueueBuilder.single(file.getParent().toFile())
                .rollCycle(RollCycles.FAST_DAILY)
                .timeProvider(() -> 0)
                .build();
        ExcerptAppender appender = queue.createAppender()) {
      for (int record = 0; record < sparse.count(); record++) {
        appender.writeBytes(Bytes.wrapForRead(sparse.record(record)));
      }
    }
  }

  /** Journals of earlier versions have an index entry per 256 records. */
  @Test
  void shouldLocateDamageOfALaterIndexPage() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      for (int event = 0; event < MANY; event++) {
        new KvCacheEvents(probe).removed(event, Journals.ALONE);
      }
    }
    indexDensely(Journals.dataFile(directory));
    final JournalBytes bytes = JournalBytes.of(Journals.dataFile(directory));
    final int before = 4_096 * 256; // Chronicle puts a page behind so many records and one more
    final int page = bytes.offset(before) + bytes.record(before).length;
    assertThat(bytes.offset(before + 1)).isGreaterThan(page + 32_768);

    for (int at : new int[] {page, page + 3}) { // its length, and what kind it is
      bytes.flip(at).save();
      final RunSummary run = Journals.read(directory).run();
      assertThat(run.end()).as("byte %d: %s", at, run.message()).isEqualTo(RunEnd.DAMAGED);
      assertThat(run.damage().offset()).isEqualTo(page);
      assertThat(run.records()).isEqualTo(before + 1);
      bytes.flip(at);
    }
  }

  private Path run(String name, byte[] content) throws IOException {
    final Path run = Files.createDirectories(directory.resolve(name).resolve("run-000001"));
    Files.write(run.resolve("x.cq4"), content);
    return run.getParent();
  }

  private static void assertRefused(Path journal, String message) {
    assertThatThrownBy(() -> JournalReader.open(journal))
        .isInstanceOf(JournalException.class)
        .hasMessage(message);
  }

  /** Names, sizes, times and contents of everything below the directory. */
  private Map<Path, String> contents() throws IOException {
    final Map<Path, String> all = new TreeMap<>();
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            final FileTime modified = attributes.lastModifiedTime();
            all.put(file, modified + " " + Arrays.hashCode(Files.readAllBytes(file)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path each, IOException failure)
              throws IOException {
            all.put(each, Files.getLastModifiedTime(each).toString());
            return FileVisitResult.CONTINUE;
          }
        });
    return all;
  }
}
