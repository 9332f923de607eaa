package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.toolbox.output.KnownOutputs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one command writes every command knows as the program's own, and replaces when asked to. */
class KnownOutputsTest {

  private static final String LOAD = "chatbot(rate=40,requests=10)";

  @TempDir private Path dir;

  @Test
  void shouldReplaceTheOutputsOfEveryOtherCommand() throws IOException {
    final Map<String, List<String>> commands = commands();
    final Path all = Files.createDirectory(dir.resolve("all"));
    for (Map.Entry<String, List<String>> each : commands.entrySet()) {
      final Path own = dir.resolve(each.getKey());
      assertThat(run(each.getValue(), own).exitCode()).as(each.getKey()).isZero();
      copyTop(own, all);
    }
    assertThat(names(all)).contains("router_decisions.csv", "study.html", "per_request.csv");

    final List<String> failures = new ArrayList<>();
    for (Map.Entry<String, List<String>> each : commands.entrySet()) {
      final Path target = Files.createDirectory(dir.resolve("over-" + each.getKey()));
      copyTop(all, target);
      final CliRun run = run(each.getValue(), target, "--overwrite");
      if (run.exitCode() != 0 || !names(target).equals(names(dir.resolve(each.getKey())))) {
        failures.add(each.getKey() + ": " + run.err() + " leaves " + names(target));
      }
    }

    assertThat(failures).isEmpty();
    assertThat(names(all)).allMatch(KnownOutputs::contains);
  }

  @Test
  void shouldNotReplaceWhatIsNotItsOwn() throws IOException {
    final Path target = Files.createDirectory(dir.resolve("mine"));
    Files.writeString(target.resolve("thesis.tex"), "years of work");

    for (Map.Entry<String, List<String>> each : commands().entrySet()) {
      final CliRun run = run(each.getValue(), target, "--overwrite");

      assertThat(run.exitCode()).as(each.getKey()).isNotZero();
      assertThat(run.err()).contains("file=thesis.tex");
    }
    assertThat(target.resolve("thesis.tex")).hasContent("years of work");
  }

  /** Every command that makes a directory, as it is run before {@code --out}. */
  private Map<String, List<String>> commands() throws IOException {
    final Path journal = dir.resolve("recorded/journal");
    if (!Files.exists(journal)) {
      CliRun.of("replay", LOAD, "-q", "--out", dir.resolve("recorded"));
    }
    final Path plan =
        Files.writeString(dir.resolve("plan.yaml"), "load: " + LOAD + "\ngrid:\n  seed: [1]\n");
    final Map<String, List<String>> commands = new LinkedHashMap<>();
    commands.put("simulate", List.of("simulate", LOAD, "-q"));
    commands.put("replay", List.of("replay", LOAD, "-q"));
    commands.put("routed", List.of("simulate", LOAD, "-q", "--router", "random"));
    commands.put("compare", List.of("compare", LOAD, "-q", "--policy", "fcfs"));
    commands.put("route-study", List.of("route-study", LOAD, "-q", "--router", "random"));
    commands.put("sweep", List.of("sweep", "-q", plan.toString()));
    commands.put("convert", List.of("convert", "-q", journal.toString()));
    commands.put("training", List.of("training", journal.toString()));
    commands.put("bench", List.of("bench", "-q", "--self-test", "--no-rehearsal"));
    return commands;
  }

  private static CliRun run(List<String> command, Path out, String... more) {
    final List<Object> words = new ArrayList<>(command);
    words.addAll(List.of("--out", out));
    words.addAll(List.of(more));
    return CliRun.of(words.toArray());
  }

  /** Directories come over as such, without what is in them. */
  private static void copyTop(Path from, Path to) throws IOException {
    for (String name : names(from)) {
      Files.copy(from.resolve(name), to.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> String.valueOf(entry.getFileName())).sorted().toList();
    }
  }
}
