package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.WaitListener;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalEnd.State;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
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
    final Map<Integer, List<String>> cutBefore = new HashMap<>();
    int endedThere = 0;
    for (int round = 0; round < ROUNDS; round++) {
      final JournalBytes bytes = JournalBytes.of(file);
      final int record = random.nextInt(bytes.count());
      final int payload = bytes.record(record).length - 20;
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        final int at = bytes.offset(record) + 16 + random.nextInt(Math.max(1, payload));
        bytes.all()[at] = random.nextBoolean() ? (byte) random.nextInt() : (byte) 0xff;
      }
      bytes.reseal(record).save();
      final List<String> converted = new ArrayList<>();
      try {
        final JournalEnd end = convert(converted);
        final int there = bytes.offset(record) - 4; // Chronicle's header
        if (end.state() == State.DAMAGED) {
          assertThat(end.detail()).startsWith("run-000001: damaged at offset ");
        }
        if (end.detail().startsWith("run-000001: damaged at offset " + there + " of ")) {
          endedThere++;
          assertThat(end.records()).as("seed=%d, round=%d", SEED, round).isEqualTo(record);
          if (!cutBefore.containsKey(record)) {
            cutBefore.put(record, convertedUpTo(there, original));
          }
          assertThat(converted)
              .as(
                  "before the damage, seed=%d, round=%d, record=%d: %s",
                  SEED, round, record, end.detail())
              .isEqualTo(cutBefore.get(record));
        }
      } catch (RuntimeException e) {
        failures.merge(e.getClass().getSimpleName() + " at " + placeOf(e), 1, Integer::sum);
      } catch (IOException e) {
        assertThat(record).as("the record of a refused file: %s", e.getMessage()).isZero();
      }
      Files.write(file, original);
    }
    assertThat(failures).as("seed=%d, places and how often", SEED).isEmpty();
    assertThat(endedThere).as("rounds that end at the changed record").isGreaterThan(ROUNDS / 10);
  }

  /** What is converted of a file that ends at {@code end}. */
  private List<String> convertedUpTo(int end, byte[] original) throws IOException {
    Files.write(file, Arrays.copyOf(original, end));
    final List<String> converted = new ArrayList<>();
    assertThat(convert(converted).state()).isEqualTo(State.CUT);
    return converted;
  }

  /** Lists the calls of a listener that asks for everything that is worked out on request. */
  private JournalEnd convert(List<String> calls) throws IOException {
    final RunListener listener =
        (RunListener)
            Proxy.newProxyInstance(
                RunListener.class.getClassLoader(),
                new Class<?>[] {RunListener.class},
                (proxy, method, arguments) -> {
                  calls.add(method.getName());
                  if (arguments != null && arguments[0] instanceof RunTimeline run) {
                    run.bookWaits(new WaitListener() {});
                    return proxy;
                  }
                  return null;
                });
    return JournalPump.pump(changed, new RunModel(listener), (records, total, permille) -> {});
  }

  private static String placeOf(RuntimeException e) {
    return Stream.of(e.getStackTrace())
        .filter(frame -> frame.getClassName().startsWith("dev.headway"))
        .findFirst()
        .map(StackTraceElement::toString)
        .orElse("nowhere of ours");
  }
}
