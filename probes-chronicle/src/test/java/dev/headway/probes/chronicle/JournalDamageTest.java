package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.headway.events.record.JournalLevel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a reader says of a file that is not as it was written. */
class JournalDamageTest {

  @TempDir Path directory;
  @TempDir Path damaged;

  private Path file;
  private List<String> whole;
  private byte[] original;
  private List<Integer> metadata;
  private int firstRecord;
  private int end;

  @BeforeEach
  void writeAJournal() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      for (int round = 0; round < 3; round++) {
        Journals.playEverything(probe);
      }
    }
    whole = Journals.read(directory).told();
    file = Journals.copy(directory, damaged);
    final JournalBytes bytes = JournalBytes.of(file);
    original = bytes.all();
    metadata = bytes.metadata();
    firstRecord = bytes.offset(0) - 4;
    final int last = bytes.count() - 1;
    end = bytes.offset(last) + bytes.record(last).length;
  }

  @Test
  void shouldLocateEveryFlippedBitOfTheRecords() {
    assertTimeoutPreemptively(
        Duration.ofMinutes(3),
        () -> {
          for (int at = firstRecord; at < end; at++) {
            final byte flipped = (byte) (original[at] ^ 1 << at % 8);
            patch(at, new byte[] {flipped});
            final Outcome outcome = read();
            assertThat(outcome.told()).as("byte %d", at).isEqualTo(prefix(outcome));
            assertThat(outcome.isFound()).as("byte %d is missed: %s", at, outcome).isTrue();
            patch(at, new byte[] {original[at]});
          }
        });
  }

  @Test
  void shouldNeverTellWhatWasNotWrittenWhateverHappensToChroniclesBytes() {
    final Random random = new Random(1);
    assertThat(metadata).hasSize(3);
    assertTimeoutPreemptively(
        Duration.ofMinutes(3),
        () -> {
          for (int round = 0; round < 3_000; round++) {
            // the file's header, and the headers of the two pages of the index
            final int at = metadata.get(round % 3) + random.nextInt(round % 3 == 0 ? 200 : 40);
            patch(at, new byte[] {(byte) random.nextInt()});
            final Outcome outcome = read();
            assertThat(outcome.told()).as("byte %d", at).isEqualTo(prefix(outcome));
            assertThat(outcome.told().size() == whole.size() || outcome.isFound())
                .as("byte %d is missed: %s", at, outcome)
                .isTrue();
            patch(at, new byte[] {original[at]});
          }
        });
  }

  @Test
  void shouldReadTheWholeRecordsOfATruncatedFile() {
    assertTimeoutPreemptively(
        Duration.ofMinutes(3),
        () -> {
          for (int length = end - 1; length >= firstRecord; length--) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
              channel.truncate(length);
            }
            final Outcome outcome = read();
            assertThat(outcome.told()).as("length %d", length).isEqualTo(prefix(outcome));
            assertThat(outcome.isFound() || outcome.isCut()).as("length %d", length).isTrue();
          }
        });
  }

  @Test
  void shouldLocateGarbageAndZeroedRangesAnywhere() {
    final Random random = new Random(2);
    assertTimeoutPreemptively(
        Duration.ofMinutes(3),
        () -> {
          for (int round = 0; round < 2_000; round++) {
            final int at = firstRecord + random.nextInt(end - firstRecord - 1);
            final byte[] garbage = new byte[1 + random.nextInt(Math.min(600, end - at))];
            if (round % 2 == 0) {
              random.nextBytes(garbage);
            }
            final byte[] before = Arrays.copyOfRange(original, at, at + garbage.length);
            if (Arrays.equals(before, garbage)) {
              continue;
            }
            patch(at, garbage);
            final Outcome outcome = read();
            assertThat(outcome.told())
                .as("bytes %d+%d", at, garbage.length)
                .isEqualTo(prefix(outcome));
            final boolean isLast =
                outcome.told().size() == whole.size() - 1; // no header, no record
            assertThat(
                    outcome.isFound()
                        || (outcome.isCut() && (isLast || at + garbage.length >= end)))
                .as("bytes %d+%d are missed: %s", at, garbage.length, outcome)
                .isTrue();
            patch(at, before);
          }
        });
  }

  @Test
  void shouldNoticeRecordsThatChangedPlacesOrCameTwice() throws IOException {
    final JournalBytes bytes = JournalBytes.of(file);
    final int stored = 22; // two records of one length: kv_removed of the first and second round
    final int again = stored + 28;
    assertThat(bytes.record(stored)).hasSameSizeAs(bytes.record(again));

    patch(bytes.offset(again), bytes.record(stored));

    final Outcome outcome = read();
    assertThat(outcome.told()).isEqualTo(prefix(outcome));
    assertThat(outcome.damage())
        .contains("expected sequence " + (again + 1) + ", found " + (stored + 1));
  }

  @Test
  void shouldRefuseTheRecordsOfAnotherRunEvenInTheirOwnPlaces(
      @TempDir Path first, @TempDir Path second) throws IOException {
    final JournalBytes own = JournalBytes.of(recordInRealTime(first));
    final JournalBytes other = JournalBytes.of(recordInRealTime(second));
    final List<String> written = Journals.read(first).told();
    Files.write(file, own.all());
    for (int record = 1; record < own.count(); record++) { // the start record names the run
      patch(own.offset(record), other.record(record));

      final Outcome outcome = read();

      assertThat(outcome.told())
          .as("record %d", record)
          .isEqualTo(written.subList(0, outcome.told().size()));
      assertThat(outcome.damage()).as("record %d", record).contains("expected crc");
      patch(own.offset(record), own.record(record));
    }
  }

  @Test
  void shouldReadWithoutTheQueuesTable() throws IOException {
    assertThat(Files.exists(file.resolveSibling("metadata.cq4t"))).isFalse();
    assertThat(Journals.read(damaged).told()).isEqualTo(whole);
  }

  /** Runs in real time have random ids; equal runs in virtual time are equal to the byte. */
  private static Path recordInRealTime(Path journal) throws IOException {
    try (JournalProbe probe = JournalProbe.open(Journals.options(journal, JournalLevel.FULL))) {
      probe.onRunStarted(Journals.run(false));
      Journals.playEverything(probe);
    }
    return Journals.dataFile(journal);
  }

  private List<String> prefix(Outcome outcome) {
    return whole.subList(0, outcome.told().size());
  }

  private void patch(int at, byte[] bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), at);
    }
  }

  private Outcome read() throws IOException {
    try {
      final Journals.Read read = Journals.read(damaged);
      final RunSummary run = read.run();
      return new Outcome(
          read.told(),
          run.damage() == null ? "" : run.damage().message(),
          run.end() == RunEnd.CUT || run.end() == RunEnd.NOT_STARTED);
    } catch (JournalException e) {
      return new Outcome(Collections.emptyList(), e.getMessage(), false);
    }
  }

  /** What the reader said: events, and the message about damage, empty for none. */
  private record Outcome(List<String> told, String damage, boolean isCut) {

    boolean isFound() {
      return !damage.isEmpty();
    }

    @Override
    public String toString() {
      return "events=" + told.size() + ", damage=" + damage + ", cut=" + isCut;
    }
  }
}
