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
    killRepeatedly(3);
  }

  @Test
  @Tag("slow")
  void shouldLoseNothingWhenTheWriterIsKilledManyTimes() throws Exception {
    killRepeatedly(100);
  }

  private void killRepeatedly(int times) throws Exception {
    final Path journal = directory.resolve("journal");
    final Random random = new Random(times);
    for (int time = 1; time <= times; time++) {
      final Path mark = directory.resolve("progress" + time);
      final Path log = directory.resolve("log" + time);
      final MappedByteBuffer progress = progress(mark);
      final Process writer =
          ForkedJvm.of(log, List.of(), List.of(), Writer.class, journal.toString(), mark.toString())
              .start();
      final JournalEnd live;
      try {
        while (progress.getLong(0) == 0 && writer.isAlive()) {
          Thread.onSpinWait();
        }
        Thread.sleep(random.nextInt(400));
        live = endOf(RunDirectories.of(journal, time));
        assertThat(writer.isAlive()).as(Files.readString(log)).isTrue();
      } finally {
        writer.destroyForcibly().waitFor(); // it would fill the disk
      }

      assertThat(live.state()).as(live.detail()).isEqualTo(JournalEnd.State.LIVE);
      assertThat(endOf(RunDirectories.of(journal, time)).state()).isEqualTo(JournalEnd.State.CUT);
      final Counting counting = new Counting();
      try (JournalReader reader = JournalReader.openLatest(journal)) {
        final RunSummary run = reader.readAll(counting).runs().get(0);
        assertThat(run.end()).as(run.message()).isEqualTo(RunEnd.CUT);
        assertThat(run.directory()).isEqualTo(RunDirectories.of(journal, time));
      }
      assertThat(counting.next).isBetween(progress.getLong(0), progress.getLong(0) + 1);
    }
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
    long next;

    @Override
    public void onKvRemoved(KvRemovedRecord removed) {
      assertThat(removed.contentHash()).isEqualTo(next++);
    }
  }
}
