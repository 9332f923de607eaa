package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.JournalLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records with changed contents and right checksums: what no disk does, and an attacker can. */
class HostileJournalTest {

  private static final int ROUNDS = 4_000;
  private static final long SEED = 42;

  @TempDir Path directory;
  @TempDir Path changed;

  private Path file;

  @BeforeEach
  void writeAJournal() throws IOException {
    try (JournalProbe probe = Journals.start(directory, JournalLevel.FULL)) {
      Journals.playEverything(probe);
      Journals.playEverything(probe);
    }
    file = Journals.copy(directory, changed);
  }

  @Test
  void shouldEndAsDamagedAndNeverByAnExceptionOfItsOwn() throws IOException {
    final Random random = new Random(SEED);
    final byte[] original = JournalBytes.of(file).all().clone();
    final Map<String, Integer> failures = new TreeMap<>();
    for (int round = 0; round < ROUNDS; round++) {
      final JournalBytes bytes = JournalBytes.of(file);
      final int record = random.nextInt(bytes.count());
      final int payload = bytes.record(record).length - 20;
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        final int at = bytes.offset(record) + 16 + random.nextInt(Math.max(1, payload));
        bytes.all()[at] = random.nextBoolean() ? (byte) random.nextInt() : (byte) 0xff;
      }
      bytes.reseal(record).save();
      try {
        JournalPump.pump(changed, new RunModel(new Everything()), (records, total, permille) -> {});
      } catch (RuntimeException e) {
        failures.merge(e.getClass().getSimpleName() + " at " + placeOf(e), 1, Integer::sum);
      } catch (IOException e) {
        // refused
      }
      Files.write(file, original);
    }
    assertThat(failures).as("seed=%d, places and how often", SEED).isEmpty();
  }

  private static String placeOf(RuntimeException e) {
    return Stream.of(e.getStackTrace())
        .filter(frame -> frame.getClassName().startsWith("dev.headway"))
        .findFirst()
        .map(StackTraceElement::toString)
        .orElse("nowhere of ours");
  }

  /** Asks for everything that is worked out on request. */
  private static final class Everything implements RunListener {

    @Override
    public RunListener onRun(RunTimeline run) {
      run.bookWaits(new WaitListener() {});
      return this;
    }
  }
}
