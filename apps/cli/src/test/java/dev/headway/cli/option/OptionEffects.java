package dev.headway.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.headway.cli.CliRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * No option of a command is silent: each is tried in a configuration of {@code option-trials.txt}
 * in which the run with it must leave something else than the run without it.
 */
abstract class OptionEffects {

  static final List<OptionTrial> TRIALS =
      OptionTrials.read(Path.of("src", "test", "resources", "options", "option-trials.txt"));

  private static final String NOWHERE = "/nowhere/there";

  private final Predicate<OptionTrial> mine;

  @TempDir private static Path temporary;
  private static TrialFixtures fixtures;

  private static RecordingServer recorder;
  private static final Map<List<String>, Outcome> RUNS = new HashMap<>();
  private static int folders;

  /** Here may be a device. */
  @BeforeAll
  static void hideDevices() {
    System.setProperty("headway.cuda.library", "no-such-library.so");
  }

  @BeforeAll
  static void make() throws IOException {
    recorder = new RecordingServer();
    fixtures =
        TrialFixtures.in(Files.createDirectory(temporary.resolve("fixtures")))
            .with("recorder", recorder.url());
  }

  @AfterAll
  static void close() {
    recorder.close();
  }

  /**
   * Some of the trials.
   *
   * @param commands what the commands are that these tests try
   */
  OptionEffects(Predicate<String> commands) {
    mine = trial -> commands.test(trial.command());
  }

  private Stream<OptionTrial> trials() {
    return TRIALS.stream().filter(mine);
  }

  @TestFactory
  Stream<DynamicTest> shouldChangeSomething() {
    final String only = System.getProperty("headway.trials", ""); // of one command, to go about it
    return trials()
        .filter(OptionTrial::isTried)
        .filter(trial -> only.isEmpty() || trial.command().equals(only))
        .map(trial -> dynamicTest(trial.toString(), () -> shouldChangeSomething(trial)));
  }

  private static void shouldChangeSomething(OptionTrial trial) {
    final Outcome without = RUNS.computeIfAbsent(trial.base(), OptionEffects::twice);
    final Outcome with = run(trial.words());

    assertThat(trial.exitCode() < 0 ? without.exitCode() : 0)
        .as("%s: %s", trial.base(), without.parts())
        .isZero();
    assertThat(with.exitCode())
        .as("%s\n%s\nwithout: %s", trial.words(), with.parts(), without.parts())
        .isEqualTo(trial.exitCode() < 0 ? without.exitCode() : trial.exitCode());
    assertThat(without.differences(with))
        .as("%s changes nothing beside %s", trial.option(), trial.base())
        .isNotEmpty();
  }

  /** A file that an option names is opened before anything runs or is written. */
  @TestFactory
  Stream<DynamicTest> shouldRefuseFilesThatAreNotThereBeforeAnythingRuns() {
    return trials()
        .filter(OptionTrial::isTried)
        .filter(trial -> namesAFile(trial) && trial.exitCode() != 2)
        .map(
            trial ->
                dynamicTest(
                    trial.toString(),
                    () -> {
                      final List<String> words = new ArrayList<>(trial.base());
                      words.removeIf(word -> word.startsWith(trial.name() + "="));
                      words.add(trial.name() + "=" + NOWHERE);
                      final Outcome outcome = run(words);

                      assertThat(outcome.exitCode()).as("%s", outcome.parts()).isIn(1, 2);
                      assertThat(outcome.parts().get("standard error")).contains(NOWHERE);
                      assertThat(outcome.files()).isEmpty();
                    }));
  }

  private static boolean namesAFile(OptionTrial trial) {
    return trial.option().matches("[^=]*=\\{(?!dir|recorder|port)[a-z-]+}.*");
  }

  /** What is there is kept, and replaced if that is said. */
  @TestFactory
  Stream<DynamicTest> shouldReplaceWhatIsThereWithOverwriteOnly() {
    return trials()
        .filter(trial -> trial.option().equals("--overwrite"))
        .map(
            trial ->
                dynamicTest(
                    trial.command(),
                    () -> {
                      final Path folder = folder();
                      final CliRun first = CliRun.of(filled(trial.base(), folder));
                      final Outcome there = Outcome.of(first, folder);
                      final CliRun again = CliRun.of(filled(trial.base(), folder));
                      final Outcome kept = Outcome.of(again, folder);
                      final CliRun replaced = CliRun.of(filled(trial.words(), folder));

                      assertThat(first.exitCode()).as(first.err()).isZero();
                      assertThat(again.exitCode()).as(again.err()).isEqualTo(1);
                      assertThat(there.differences(kept))
                          .isSubsetOf("exit code", "standard output", "standard error");
                      assertThat(replaced.exitCode()).as(replaced.err()).isZero();
                    }));
  }

  /** Without it runs differ, in real times. */
  @TestFactory
  Stream<DynamicTest> shouldMakeEqualRunsEqualWithReproducibleOnly() {
    return trials()
        .filter(trial -> trial.option().equals("--reproducible"))
        .map(
            trial ->
                dynamicTest(
                    trial.command(),
                    () -> {
                      final List<String> words = new ArrayList<>(trial.base());
                      words.remove(trial.option());

                      assertThat(run(words).differences(run(words))).isNotEmpty();
                      assertThat(run(trial.base()).differences(run(trial.base()))).isEmpty();
                    }));
  }

  /** Runs that are equal must leave the same, or a difference would mean nothing. */
  private static Outcome twice(List<String> words) {
    final Outcome first = run(words);
    final Outcome second = run(words);
    assertThat(first.differences(second))
        .as("the same run twice: %s: %s", words, first.firstDifference(second))
        .isEmpty();
    return first;
  }

  private static Outcome run(List<String> words) {
    final Path folder = folder();
    final Object[] filled = filled(words, folder);
    recorder.taken();
    return switch (words.getFirst()) {
      case "serve" -> Outcome.of(ServedRun.of(filled), folder);
      case "route" -> Outcome.of(ServedRun.of(filled), folder).with(recorder.taken());
      case "bench" -> Outcome.of(CliRun.of(filled), folder).withoutNumbers().with(recorder.taken());
      default -> Outcome.of(CliRun.of(filled), folder);
    };
  }

  private static Path folder() {
    try {
      return Files.createDirectory(temporary.resolve("run-" + folders++));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Object[] filled(List<String> words, Path folder) {
    return words.stream()
        .map(fixtures::fill)
        .map(word -> word.replace("{dir}", folder.toString()))
        .toArray();
  }
}
