package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** What holds for all commands together, and no test of one of them would see. */
class CommandLineUniformityTest {

  /** What these print is their address, their screen or their result, and nothing else. */
  private static final Set<String> NOT_QUIET =
      Set.of("serve", "route", "top", "predict", "inspect");

  private static final Set<String> OUTPUT = Set.of("-o", "--out", "--output");

  /** Names that come together; {@code bench} has those of other tools besides. */
  private static final Map<String, Set<String>> COMMON =
      Map.of("--output", OUTPUT, "--quiet", Set.of("-q"), "--slo-tpot", Set.of("--slo-itl"));

  /** A constant or number as Java prints it, where the command line takes another spelling. */
  private static final Pattern JAVA_DEFAULT = Pattern.compile("\\((?:[A-Z_]{2,}|-?\\d+\\.0)\\)");

  /** An option or parameter of a command. */
  private record Place(String command, ArgSpec argument) {
    String value() {
      final boolean isFlag = argument.arity().max() == 0 || argument.isOption() && isNegatable();
      return isFlag ? "no value" : argument.paramLabel().replaceFirst("\\[,.*", "");
    }

    private boolean isNegatable() {
      return ((OptionSpec) argument).negatable();
    }

    String description() {
      return String.join(" ", argument.description());
    }

    @Override
    public String toString() {
      final String name =
          argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
      return command + " " + name;
    }
  }

  @Test
  void shouldTakeTheSameKindOfValueUnderTheSameName() {
    final Map<String, Map<String, List<String>>> commandsByValue = new TreeMap<>();

    for (Place place : options()) {
      for (String name : ((OptionSpec) place.argument()).names()) {
        commandsByValue
            .computeIfAbsent(name, key -> new TreeMap<>())
            .computeIfAbsent(place.value(), key -> new ArrayList<>())
            .add(place.command());
      }
    }

    OUTPUT.forEach(commandsByValue::remove); // a file here, a directory there
    commandsByValue.values().removeIf(commands -> commands.size() == 1);
    assertThat(commandsByValue).isEmpty();
  }

  @Test
  void shouldCallAnOptionTheSameEverywhere() {
    final Map<String, Set<String>> names = new HashMap<>();
    final List<String> differ = new ArrayList<>();

    for (Place place : options()) {
      final Set<String> all = new TreeSet<>(List.of(((OptionSpec) place.argument()).names()));
      for (String name : all) {
        final Set<String> before = names.merge(name, all, (a, b) -> a.size() < b.size() ? b : a);
        if (!before.containsAll(all) || !all.containsAll(COMMON.getOrDefault(name, Set.of()))) {
          differ.add(place + " has " + all + ", elsewhere " + before);
        }
      }
    }

    assertThat(differ).isEmpty();
  }

  @Test
  void shouldDescribeEveryOptionInASentenceThatEndsWithTheDefault() {
    assertThat(Stream.concat(options().stream(), parameters().stream()))
        .allSatisfy(
            place -> {
              final String text = place.description();
              assertThat(text).as("%s", place).matches("(?s)[A-Z0-9a-z].*\\.");
              assertThat(text).as("%s", place).doesNotContain("Default", "default:");
              assertThat(text).as("%s", place).doesNotContainPattern(JAVA_DEFAULT);
            });
  }

  @Test
  void shouldHaveHelpVersionAndQuietEverywhere() {
    assertThat(commands())
        .allSatisfy(
            (name, command) -> {
              final Map<String, OptionSpec> options = command.getCommandSpec().optionsMap();
              assertThat(options).as(name).containsKeys("-h", "--help", "-V", "--version");
              assertThat(options.containsKey("--quiet"))
                  .as(name + " --quiet")
                  .isEqualTo(!NOT_QUIET.contains(name));
            });
  }

  @Test
  void shouldWriteWhereMinusOSays() {
    assertThat(options().stream().filter(place -> isOutput((OptionSpec) place.argument())))
        .isNotEmpty()
        .allSatisfy(
            place ->
                assertThat(((OptionSpec) place.argument()).names())
                    .as("%s", place)
                    .containsAll(OUTPUT));
    assertThat(options())
        .filteredOn(place -> isOutput((OptionSpec) place.argument()))
        .filteredOn(place -> place.argument().group() == null) // or another that is given
        .allSatisfy(place -> assertThat(place.argument().required()).as("%s", place).isFalse());
    assertThat(parameters())
        .noneSatisfy(place -> assertThat(place.description()).containsIgnoringCase("to make"));
  }

  private static boolean isOutput(OptionSpec option) {
    return Stream.of(option.names()).anyMatch(OUTPUT::contains);
  }

  private static Map<String, CommandLine> commands() {
    return new TreeMap<>(HeadwayCli.commandLine().getSubcommands());
  }

  private static List<Place> options() {
    return places(
        command -> command.getCommandSpec().options().stream().map(ArgSpec.class::cast).toList());
  }

  private static List<Place> parameters() {
    return places(
        command ->
            command.getCommandSpec().positionalParameters().stream()
                .map((PositionalParamSpec each) -> (ArgSpec) each)
                .toList());
  }

  private static List<Place> places(Function<CommandLine, List<ArgSpec>> arguments) {
    final List<Place> places = new ArrayList<>();
    commands()
        .forEach(
            (name, command) ->
                arguments.apply(command).stream()
                    .filter(argument -> !argument.hidden())
                    .forEach(argument -> places.add(new Place(name, argument))));
    return places;
  }
}
