package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IdLists;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.probes.csv.option.TextPolicy;
import dev.headway.testkit.files.FaultyFiles;
import dev.headway.testkit.files.FileFault;
import dev.headway.testkit.files.FilePlan;
import dev.headway.toolbox.output.OverwriteMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every file call of a conversion's output fails once: there is the whole new output, or the old.
 */
class FailingOutputTest {

  @TempDir private Path temporary;

  private final EventScript script = Scenarios.preemption();
  private int conversions;

  @ParameterizedTest
  @EnumSource(FileFault.class)
  void shouldLeaveNothingOrAllOfANewOutput(FileFault fault) throws IOException {
    final Map<String, String> whole = filesOf(converted(temporary.resolve("whole")));

    boolean failed = true;
    for (long n = 1; failed; n++) {
      final Path parent = Files.createDirectory(temporary.resolve("new" + conversions++));
      final FaultyFiles files = FaultyFiles.over(parent, FilePlan.once(n, fault));
      final String outcome = convert(files, OverwriteMode.REFUSE);
      final String of = files.faults() + ": " + outcome;
      failed = !files.faults().isEmpty();

      final Path out = parent.resolve("out");
      assertThat(Files.exists(out) ? filesOf(out) : whole).as(of).isEqualTo(whole);
      assertThat(outcome.isEmpty() && !Files.exists(out)).as(of).isFalse();
      shouldHoldNothingElseThanScratch(parent, of);
    }
    assertThat(conversions).isGreaterThan(25);
  }

  @ParameterizedTest
  @EnumSource(FileFault.class)
  void shouldKeepTheOldOutputUntilTheNewOneIsInItsPlace(FileFault fault) throws IOException {
    final Map<String, String> whole = filesOf(converted(temporary.resolve("whole")));

    boolean failed = true;
    for (long n = 1; failed; n++) {
      final Path parent = Files.createDirectory(temporary.resolve("old" + conversions++));
      final Path out = parent.resolve("out");
      final Map<String, String> before = filesOf(old(out));
      final FaultyFiles files = FaultyFiles.over(parent, FilePlan.once(n, fault));
      final String outcome = convert(files, OverwriteMode.REPLACE);
      final String of = files.faults() + ": " + outcome;
      failed = !files.faults().isEmpty();

      assertThat(filesOf(out)).as(of).isIn(before, whole);
      if (outcome.isEmpty()) {
        assertThat(filesOf(out)).as(of).isEqualTo(whole);
      }
      shouldHoldNothingElseThanScratch(parent, of);
    }
    assertThat(conversions).isGreaterThan(30);
  }

  /** Returns why it failed, or nothing. */
  private String convert(FaultyFiles files, OverwriteMode mode) {
    final ConvertOptions options =
        new ConvertOptions(mode, TextPolicy.NEUTRALISED, IterationRequests.FULL, IdLists.COMPACT);
    try (CsvExport export = CsvExport.begin(files.root().resolve("out"), options)) {
      script.play(export.visitor(), 0, script.size());
      export.finish(JournalEnd.clean(script.size()));
      return "";
    } catch (IOException | UncheckedIOException e) {
      return e.toString();
    }
  }

  private Path converted(Path out) throws IOException {
    if (!Files.exists(out)) {
      CsvResult.of(script, out);
    }
    return out;
  }

  private static Path old(Path out) {
    CsvResult.of(EventScript.full().queued(0, "old", 1, 2, 8).runEnded(3), out);
    return out;
  }

  private static void shouldHoldNothingElseThanScratch(Path parent, String of) throws IOException {
    try (Stream<Path> all = Files.list(parent)) {
      assertThat(all.map(path -> path.getFileName().toString()).filter(name -> !name.equals("out")))
          .as(of)
          .allMatch(name -> name.startsWith(".tmp-"));
    }
  }

  private static Map<String, String> filesOf(Path directory) throws IOException {
    final Map<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.list(directory)) {
      for (Path file : all.toList()) {
        files.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return files;
  }
}
