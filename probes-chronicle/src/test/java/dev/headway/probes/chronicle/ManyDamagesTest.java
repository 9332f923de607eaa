package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.record.JournalLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damages of every kind to the file of a run, pages of another run of the same load among them:
 * what is read is what was written, up to a place that is named, or all of it.
 */
class ManyDamagesTest {

  private static final long SEED = 20_261_124;
  private static final int PAGE = 4_096;
  private static final int ROUNDS = 40;

  @TempDir Path directory;

  private Path damaged;
  private Path file;
  private List<String> whole;
  private byte[] own;
  private byte[] other;
  private JournalBytes records;
  private int first;
  private int end;

  /** How a file is damaged. */
  private enum Kind {
    BIT,
    GARBAGE_BYTES,
    ZERO_BYTES,
    GARBAGE_PAGE,
    ZERO_PAGE,
    PAGE_OF_ANOTHER_RUN,
    TAIL_OF_ANOTHER_RUN,
    CUT,
    HEAD_LOST,
    BYTES_LOST,
    PAGE_LOST,
    PAGE_TWICE,
    PAGES_SWAPPED,
    RECORD_LOST,
    RECORD_TWICE,
    RECORDS_SWAPPED,
    RECORD_OF_ANOTHER_RUN,
    INDEX_PAGE
  }

  /** What became of the damages of a kind. */
  private static final class Count {
    private int damagedAt;
    private int cut;
    private int refused;
    private int harmless;

    @Override
    public String toString() {
      return "damaged="
          + damagedAt
          + " cut="
          + cut
          + " refused="
          + refused
          + " harmless="
          + harmless;
    }
  }

  @BeforeEach
  void writeTwoRunsOfOneLoad() throws IOException {
    final Path ownRun = directory.resolve("own");
    final Path otherRun = directory.resolve("other");
    record(ownRun);
    record(otherRun);
    whole = Journals.read(ownRun).told();
    damaged = directory.resolve("damaged");
    file = Journals.copy(ownRun, damaged);
    records = JournalBytes.of(file);
    own = records.all().clone();
    other = JournalBytes.of(Journals.dataFile(otherRun)).all();
    first = records.offset(0) - 4;
    final int last = records.count() - 1;
    end = records.offset(last) + records.record(last).length;
  }

  @Test
  void shouldFindAThousandDamages() throws IOException {
    damage(1_000);
  }

  @Test
  @Tag("slow")
  void shouldFindTenThousandDamages() throws IOException {
    damage(10_000);
  }

  private void damage(int times) throws IOException {
    final Random random = new Random(SEED);
    final Map<Kind, Count> counts = new EnumMap<>(Kind.class);
    for (int time = 0; time < times; time++) {
      final Kind kind = Kind.values()[time % Kind.values().length];
      final byte[] bytes = changed(kind, random);
      if (Arrays.equals(bytes, own)) {
        time--; // it was no damage
        continue;
      }
      Files.write(file, bytes);
      check(kind, time, counts.computeIfAbsent(kind, none -> new Count()));
    }
    System.out.println("seed=" + SEED + ", damages=" + times + ", " + counts);
  }

  /** Compares what two ways of reading say with what was written. */
  private void check(Kind kind, int time, Count count) throws IOException {
    final String of = kind + ", seed=" + SEED + ", damage " + time;
    final Journals.Read read;
    try {
      read = Journals.read(damaged);
    } catch (JournalException refused) {
      count.refused++;
      return;
    }
    final RunSummary run = read.run();
    assertThat(read.told().size()).as(of).isLessThanOrEqualTo(whole.size());
    assertThat(read.told()).as(of).isEqualTo(whole.subList(0, read.told().size()));
    switch (run.end()) {
      case DAMAGED -> count.damagedAt++;
      case CUT, NOT_STARTED -> count.cut++;
      case CLEAN -> {
        assertThat(read.told()).as("%s is missed", of).isEqualTo(whole);
        count.harmless++;
      }
      case OPEN, LIVE -> throw new AssertionError(of + ": " + run.message());
    }
    final JournalEnd converted =
        JournalPump.pump(damaged, new RunModel(new RunListener() {}), (r, t, p) -> {});
    assertThat(converted.state().name())
        .as(of)
        .isEqualTo(run.end() == RunEnd.NOT_STARTED ? "CUT" : run.end().name());
    assertThat(converted.records()).as(of).isEqualTo(run.records());
  }

  private byte[] changed(Kind kind, Random random) {
    final byte[] bytes = own.clone();
    final int at = first + random.nextInt(end - first - 1);
    final int length = 1 + random.nextInt(Math.min(600, end - at));
    final int page = page(random);
    final int otherPage = page(random);
    final int record = random.nextInt(records.count());
    final int otherRecord = random.nextInt(records.count());
    return switch (kind) {
      case BIT -> {
        bytes[at] ^= (byte) (1 << random.nextInt(8));
        yield bytes;
      }
      case GARBAGE_BYTES -> garbage(bytes, at, length, random);
      case GARBAGE_PAGE -> garbage(bytes, page, PAGE, random);
      case ZERO_BYTES -> put(bytes, at, new byte[length]);
      case ZERO_PAGE -> put(bytes, page, new byte[PAGE]);
      case PAGE_OF_ANOTHER_RUN -> put(bytes, page, slice(other, page, page + PAGE));
      case TAIL_OF_ANOTHER_RUN -> { // behind the start record: with it, it would be that run
        final int from = Math.max(page, stop(0));
        yield put(bytes, from, slice(other, from, other.length));
      }
      case CUT -> slice(bytes, 0, at);
      case HEAD_LOST -> slice(bytes, PAGE * (1 + page / PAGE), bytes.length);
      case BYTES_LOST -> without(bytes, at, at + length);
      case PAGE_LOST -> without(bytes, page, page + PAGE);
      case PAGE_TWICE -> twice(bytes, page, page + PAGE);
      case PAGES_SWAPPED -> {
        put(bytes, page, slice(own, otherPage, otherPage + PAGE));
        yield put(bytes, otherPage, slice(own, page, page + PAGE));
      }
      case RECORD_LOST -> without(bytes, start(record), stop(record));
      case RECORD_TWICE -> twice(bytes, start(record), stop(record));
      case RECORDS_SWAPPED -> swapped(Math.min(record, otherRecord), Math.max(record, otherRecord));
      case RECORD_OF_ANOTHER_RUN ->
          put(bytes, start(record), slice(other, start(record), stop(record)));
      case INDEX_PAGE -> {
        final List<Integer> places = records.metadata();
        final int place = places.get(random.nextInt(places.size())) + random.nextInt(64);
        yield garbage(bytes, place, 1 + random.nextInt(8), random);
      }
    };
  }

  /** The place of a page that holds records. */
  private int page(Random random) {
    final int firstPage = first / PAGE;
    return (firstPage + random.nextInt(end / PAGE - firstPage + 1)) * PAGE;
  }

  private int start(int record) {
    return records.offset(record) - 4;
  }

  private int stop(int record) {
    return (records.offset(record) + records.record(record).length + 3) & -4;
  }

  private byte[] swapped(int one, int two) {
    if (one == two) {
      return own;
    }
    return joined(
        slice(own, 0, start(one)),
        slice(own, start(two), stop(two)),
        slice(own, stop(one), start(two)),
        slice(own, start(one), stop(one)),
        slice(own, stop(two), own.length));
  }

  private static byte[] garbage(byte[] bytes, int at, int length, Random random) {
    final byte[] garbage = new byte[length];
    random.nextBytes(garbage);
    return put(bytes, at, garbage);
  }

  /** Writes over what is there, as far as the file goes. */
  private static byte[] put(byte[] bytes, int at, byte[] over) {
    System.arraycopy(over, 0, bytes, at, Math.max(0, Math.min(over.length, bytes.length - at)));
    return bytes;
  }

  private static byte[] without(byte[] bytes, int from, int to) {
    return joined(slice(bytes, 0, from), slice(bytes, to, bytes.length));
  }

  private static byte[] twice(byte[] bytes, int from, int to) {
    return joined(slice(bytes, 0, to), slice(bytes, from, bytes.length));
  }

  private static byte[] slice(byte[] bytes, int from, int to) {
    return Arrays.copyOfRange(
        bytes, Math.min(from, bytes.length), Math.max(from, Math.min(to, bytes.length)));
  }

  private static byte[] joined(byte[]... parts) {
    byte[] all = new byte[0];
    for (byte[] part : parts) {
      final int at = all.length;
      all = Arrays.copyOf(all, at + part.length);
      System.arraycopy(part, 0, all, at, part.length);
    }
    return all;
  }

  /** Runs in real time have random ids; equal runs in virtual time are equal to the byte. */
  private static void record(Path journal) throws IOException {
    try (JournalProbe probe = JournalProbe.open(Journals.options(journal, JournalLevel.FULL))) {
      probe.onRunStarted(Journals.run(false));
      for (int round = 0; round < ROUNDS; round++) {
        Journals.playEverything(probe);
      }
    }
  }
}
