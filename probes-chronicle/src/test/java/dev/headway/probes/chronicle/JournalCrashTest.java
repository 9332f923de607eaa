package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.KvRemovedRecord;
import dev.headway.events.record.RecordVisitor;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The writer is killed without notice; then the next one starts in the same directory. */
class JournalCrashTest {

  @TempDir Path directory;

  /** Appends 0, 1, 2, … until it is killed, and says in a mapped file how far it has come. */
  static final class Writer {
    public static void main(String[] arguments) throws IOException {
      final MappedByteBuffer progress = progress(Path.of(arguments[1]));
      try (JournalProbe probe = Journals.start(Path.of(arguments[0]), JournalLevel.FULL)) {
        final FakePlan plan = FakePlan.decodes(64);
        for (long event = 0; true; event++) {
          new KvCacheEvents(probe).removed(event, Journals.ALONE);
          progress.putLong(0, event + 1);
          if (event % 8 == 0) {
            plan.stepId++;
            probe.onPlanned(plan);
          }
        }
      }
    }
  }

  @Test
  void shouldLoseNothingWhenTheWriterIsKilled() throws Exception {
    killRepeatedly(5);
  }

  @Test
  @Tag("slow")
  void shouldLoseNothingWhenTheWriterIsKilledManyTimes() throws Exception {
    killRepeatedly(Integer.getInteger("headway.journal.kills", 1_000));
  }

  private void killRepeatedly(int times) throws Exception {
    final Path journal = directory.resolve("journal");
    final Random random = new Random(times);
    long acknowledged = 0;
    long slowestNs = 0;
    int early = 0;
    for (int time = 1; time <= times; time++) {
      final Kill kill = new Kill(journal, directory.resolve("progress" + time), random);
      kill.run(time % 5 == 0);
      acknowledged += kill.acknowledged;
      slowestNs = Math.max(slowestNs, kill.reopenNs);
      early += kill.acknowledged == 0 ? 1 : 0;
      kill.tidy();
    }
    System.out.printf(
        "kills=%d, before the first record=%d, records acknowledged=%d, lost=0, slowest reopen=%d ms%n",
        times, early, acknowledged, slowestNs / 1_000_000);
  }

  /** One writer, killed at a random instant of its life. */
  private static final class Kill {
    private static final int MOST_RUNNING_MS = 80;
    private static final int MOST_STARTING_MS = 600;

    private final Path journal;
    private final Path mark;
    private final Random random;
    private long acknowledged;
    private long reopenNs;

    Kill(Path journal, Path mark, Random random) {
      this.journal = journal;
      this.mark = mark;
      this.random = random;
    }

    /** Kills the writer while it starts, or else once it writes, and reads what it has left. */
    void run(boolean whileItStarts) throws Exception {
      final int before = runs();
      final Path log = mark.resolveSibling(mark.getFileName() + ".log");
      final MappedByteBuffer progress = progress(mark);
      final Process writer =
          ForkedJvm.of(
                  log,
                  List.of(),
                  List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto"),
                  Writer.class,
                  journal.toString(),
                  mark.toString())
              .start();
      try {
        if (whileItStarts) {
          Thread.sleep(random.nextInt(MOST_STARTING_MS));
        } else {
          while (progress.getLong(0) == 0 && writer.isAlive()) {
            Thread.onSpinWait();
          }
          Thread.sleep(random.nextInt(MOST_RUNNING_MS));
          assertThat(endOf(RunDirectories.list(journal).getLast()).state())
              .isEqualTo(JournalEnd.State.LIVE);
        }
        assertThat(writer.isAlive()).as(Files.readString(log)).isTrue();
      } finally {
        writer.destroyForcibly().waitFor(); // it would fill the disk
      }
      acknowledged = progress.getLong(0);
      Files.delete(mark);
      Files.delete(log);
      reopen(before);
    }

    private void reopen(int before) throws IOException {
      if (runs() == before) {
        assertThat(acknowledged).isZero(); // it had not come to make a directory
        return;
      }
      final Path run = RunDirectories.list(journal).getLast();
      if (acknowledged == 0) {
        Counting.upTo(0, run);
      } else {
        assertThat(endOf(run).state()).isEqualTo(JournalEnd.State.CUT);
        Counting.upTo(acknowledged, run);
      }
      final long startNs = System.nanoTime();
      final JournalProbe next = Journals.start(journal, JournalLevel.FULL);
      new KvCacheEvents(next).removed(1, Journals.ALONE);
      reopenNs = System.nanoTime() - startNs;
      next.close();
      delete(next.directory());
    }

    /** Deletes all runs but the latest: each has some 10 MB. */
    void tidy() throws IOException {
      final List<Path> runs = Files.exists(journal) ? RunDirectories.list(journal) : List.of();
      for (Path run : runs.subList(0, Math.max(0, runs.size() - 1))) {
        delete(run);
      }
    }

    private int runs() throws IOException {
      return Files.exists(journal) ? RunDirectories.largest(journal) : 0;
    }
  }

  private static void delete(Path run) throws IOException {
    try (Stream<Path> files = Files.list(run)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(run);
  }

  private static JournalEnd endOf(Path run) throws IOException {
    try (JournalSource source = JournalSource.open(run)) {
      return source.conclude(new RecordVisitor() {});
    }
  }

  private static MappedByteBuffer progress(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, 8);
    }
  }

  /** Expects 0, 1, 2, … */
  private static final class Counting implements RecordVisitor {
    private long next;

    /** Reads a run whose writer had acknowledged so many records, and maybe begun one more. */
    static void upTo(long acknowledged, Path run) throws IOException {
      final Counting counting = new Counting();
      try (JournalReader reader = JournalReader.open(run)) {
        final RunSummary read = reader.readAll(counting).runs().get(0);
        assertThat(read.end()).as(read.message()).isEqualTo(RunEnd.CUT);
      } catch (JournalException noStartRecord) {
        assertThat(acknowledged).as(noStartRecord.getMessage()).isZero();
        assertThat(noStartRecord.getMessage()) // killed before the record, or before its file
            .containsAnyOf("must have a run with a start record", "there is no journal in");
      }
      assertThat(counting.next).isBetween(acknowledged, acknowledged + 1);
    }

    @Override
    public void onKvRemoved(KvRemovedRecord removed) {
      assertThat(removed.contentHash()).isEqualTo(next++);
    }
  }
}
