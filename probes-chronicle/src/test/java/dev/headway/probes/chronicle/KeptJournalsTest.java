package dev.headway.probes.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.record.JournalLevel;
import dev.headway.events.record.RecordType;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Journals as every schema version wrote them, in {@code src/test/resources/kept}, each with what
 * it tells today. Before a change of the schema is merged, the one before gets its file here by
 *
 * <p>{@code mvn test -pl probes-chronicle -am -Dtest=KeptJournalsTest
 * -Dsurefire.failIfNoSpecifiedTests=false -Dheadway.keepJournal=true}
 */
class KeptJournalsTest {

  private static final Path KEPT = Path.of("src/test/resources/kept");

  @TempDir Path directory;

  /**
   * On demand, writes the files of the present schema; what older versions wrote is not touched.
   */
  @BeforeAll
  static void keep(@TempDir Path scratch) throws IOException {
    if (!Boolean.getBoolean("headway.keepJournal")) {
      return;
    }
    for (JournalLevel level :
        List.of(JournalLevel.SUMMARY, JournalLevel.FULL, JournalLevel.DEBUG)) {
      final Path journal = scratch.resolve(level.label());
      try (JournalProbe probe = Journals.start(journal, level)) {
        Journals.playEverything(probe);
      }
      try (OutputStream file = Files.newOutputStream(KEPT.resolve(nameOf(level) + ".cq4.gz"));
          OutputStream packed = new GZIPOutputStream(file)) {
        Files.copy(Journals.dataFile(journal), packed);
      }
      Files.write(KEPT.resolve(nameOf(level) + ".txt"), Journals.read(journal).told());
    }
  }

  static List<String> names() throws IOException {
    try (Stream<Path> kept = Files.list(KEPT)) {
      return kept.map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".cq4.gz"))
          .map(name -> name.substring(0, name.length() - ".cq4.gz".length()))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void shouldReadWhatEverySchemaVersionHasWritten(String name) throws IOException {
    final Path run = RunDirectories.of(directory, 1);
    Files.createDirectories(run);
    try (InputStream packed = Files.newInputStream(KEPT.resolve(name + ".cq4.gz"));
        InputStream data = new GZIPInputStream(packed)) {
      Files.copy(data, run.resolve("20261121F.cq4"));
    }

    final Journals.Read read = Journals.read(directory);

    assertThat(read.told())
        .as("as told in %s.txt", name)
        .isEqualTo(Files.readAllLines(KEPT.resolve(name + ".txt")));
    assertThat(read.summary().isComplete()).isTrue();
    assertThat(read.summary().unknownRecords()).isZero();
  }

  @Test
  void shouldHaveKeptAJournalOfTheSchemaThatIsWrittenNow() {
    assertThat(KEPT.resolve(nameOf(JournalLevel.FULL) + ".cq4.gz")).exists();
  }

  private static String nameOf(JournalLevel level) {
    return "schema-"
        + RecordType.SCHEMA_VERSION
        + "."
        + RecordType.SCHEMA_MINOR
        + "-"
        + level.label();
  }
}
