package dev.headway.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.CliRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The commands that come to an end by themselves. */
class OptionEffectsTest extends OptionEffects {

  private static final Pattern TEST = Pattern.compile("[A-Z]\\w+Test\\b");

  OptionEffectsTest() {
    super(command -> !ServedOptionEffectsTest.COMMANDS.contains(command));
  }

  @Test
  void shouldKnowATrialOfEveryOptionOfEveryCommand() {
    final Map<String, CommandLine> commands = CliRun.commands();
    final Set<String> options = new TreeSet<>();
    commands.forEach(
        (name, command) ->
            command.getCommandSpec().options().stream()
                .filter(option -> !isHelp(option))
                .forEach(option -> options.add(name + " " + option.longestName())));

    final Set<String> tried = new TreeSet<>();
    for (OptionTrial trial : TRIALS) {
      final OptionSpec option = option(commands.get(trial.command()), trial.name());
      assertThat(option).as("%s is an option", trial).isNotNull();
      tried.add(trial.command() + " " + option.longestName());
    }

    assertThat(tried).isEqualTo(options);
  }

  /** A test that a reason names is one. */
  @Test
  void shouldNameTestsThatExist() throws IOException {
    final Set<String> named = new TreeSet<>();
    for (OptionTrial trial : TRIALS) {
      TEST.matcher(trial.reason()).results().forEach(match -> named.add(match.group()));
    }

    try (Stream<Path> files =
        Files.find(
            Path.of("..", ".."), 14, (file, attributes) -> file.toString().endsWith("Test.java"))) {
      named.removeAll(
          files.map(file -> file.getFileName().toString().replace(".java", "")).toList());
    }

    assertThat(named).isEmpty();
  }

  private static @Nullable OptionSpec option(CommandLine command, String name) {
    final CommandSpec spec = command.getCommandSpec();
    final OptionSpec option = spec.findOption(name);
    return option == null ? spec.negatedOptionsMap().get(name) : option;
  }

  private static boolean isHelp(OptionSpec option) {
    return option.usageHelp() || option.versionHelp();
  }
}
