package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.command.Excludes;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.cli.command.OptionConditions;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** An option whose condition is not met is refused, and says what it needs. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a server that starts waits
class OptionConditionsTest {

  private static final String LOAD = "chatbot(rate=5,requests=3)";

  /** What the parser asks for before anything. */
  private static final Map<String, List<String>> REQUIRED =
      Map.of(
          "predict", List.of("--input-tokens=10", "--output-tokens=10"),
          "otlp", List.of("--output=/nonexistent/spans"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--gpu=h200-sxm",
        "--kernels=/nonexistent",
        "--tensor-parallel-size=4",
        "--host-us=5000",
        "--host-us-per-request=5",
        "--gpu-table=/nonexistent",
        "--step-model=/nonexistent",
        "--enforce-eager"
      })
  void shouldRefuseWhatOnlyActsOnAModelWithoutOne(String option) {
    for (String command : List.of("simulate", "replay", "compare", "route-study")) {
      final CliRun run = CliRun.of(command, LOAD, option);

      assertThat(run.exitCode()).as(command).isEqualTo(2);
      assertThat(run.err())
          .as(command)
          .contains(option.replaceFirst("=.*", "") + " needs --model: " + option);
    }
  }

  @Test
  void shouldRefuseDraftsOfNobody() {
    final CliRun none = CliRun.of("simulate", LOAD, "--draft-acceptance", "0.9");
    final CliRun off =
        CliRun.of("simulate", LOAD, "--draft-acceptance", "0.9", "--speculative-method", "none");

    assertThat(none.err())
        .contains("--draft-acceptance needs --speculative-method: --draft-acceptance=0.9");
    assertThat(off.err())
        .contains(
            "--draft-acceptance needs --speculative-method other than none:"
                + " --draft-acceptance=0.9");
  }

  @Test
  void shouldSayThatWhatIsGivenIsOff() {
    assertThat(CliRun.of("replay", LOAD, "--journal-level", "OFF", "--no-csv").err())
        .contains("--no-csv needs --journal-level other than OFF: --no-csv");
  }

  @Test
  void shouldAskForAValueWhereOthersWillNotDo() {
    final CliRun run =
        CliRun.of("replay", LOAD, "--real-time", "--executor", "cuda", "--threads", "2");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--threads needs --executor auto or vector: --threads=2");
  }

  @Test
  void shouldTakeAShareOfADevicesMemoryWhereThereIsADevice() {

    final CliRun run = CliRun.of("replay", LOAD, "--gpu-memory-utilization", "0.5");
    final CliRun noDevice =
        CliRun.of(
            "replay",
            LOAD,
            "--gpu-memory-utilization",
            "0.5",
            "--real-time",
            "--executor",
            "simulated");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .contains(
            "--gpu-memory-utilization needs --model or --executor: --gpu-memory-utilization=0.5");
    assertThat(noDevice.exitCode()).isEqualTo(2);
    assertThat(noDevice.err())
        .contains(
            "--gpu-memory-utilization needs --model, or a device, and the executor that runs here"
                + " is simulated; --num-blocks sizes its KV cache");
    assertThat(
            CliRun.of("replay", LOAD, "--kv-cache-dtype=fp8", "--real-time", "--executor=vector")
                .err())
        .contains(
            "--kv-cache-dtype needs --model, or a device, and the executor that runs here is"
                + " vector, which keeps keys and values as floats");
    assertThat(CliRun.of("simulate", LOAD, "--gpu-memory-utilization", "0.5").err())
        .contains("--gpu-memory-utilization needs --model: --gpu-memory-utilization=0.5");
  }

  @Test
  void shouldRefuseAnOptionThatAnotherLeavesNothingToSay() {
    final CliRun run =
        CliRun.of("simulate", LOAD, "--model", "m", "--latency", "1,1,1,1", "--num-blocks", "9");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .contains("--latency and --model exclude each other: --latency=1,1,1,1, --model=m");
  }

  @Test
  void shouldTakeAVariableInPlaceOfAnOption() {
    final var parsed =
        HeadwayCli.commandLine().parseArgs("serve", "--share-prefix-cache").subcommand();

    OptionConditions.require(parsed, Map.of("HEADWAY_API_KEY", "secret"));

    assertThat(CliRun.of("serve", "--share-prefix-cache", "--port=0").err())
        .contains("--share-prefix-cache needs --api-key");
  }

  /** Each condition that is declared, on each command that has the option. */
  @Test
  void shouldRefuseEveryOptionThatIsAloneAndMustNotBe() {
    final List<String> accepted = new ArrayList<>();
    final Set<String> refused = new TreeSet<>();

    commands()
        .forEach(
            (name, command) ->
                command.getCommandSpec().options().stream()
                    .filter(option -> mustNotBeAlone(command, option))
                    .forEach(
                        option -> {
                          final String text = option.longestName() + value(option);
                          final List<String> words = new ArrayList<>(List.of(name, text));
                          positionals(command).forEach(words::add);
                          words.addAll(REQUIRED.getOrDefault(name, List.of()));
                          final CliRun run = CliRun.of(words.toArray());
                          if (run.exitCode() == 2
                              && run.err().contains(option.longestName() + " needs ")) {
                            refused.add(name + " " + option.longestName());
                          } else {
                            accepted.add(String.join(" ", words) + ": " + run.err());
                          }
                        }));

    assertThat(accepted).isEmpty();
    assertThat(refused).hasSizeGreaterThan(60);
  }

  /** Each range that is declared, on each command that has the option, from both sides. */
  @Test
  void shouldRefuseEveryNumberOutsideOfItsRange() {
    final List<String> accepted = new ArrayList<>();
    final Set<String> refused = new TreeSet<>();

    commands()
        .forEach(
            (name, command) ->
                command
                    .getCommandSpec()
                    .options()
                    .forEach(
                        option -> {
                          for (String value : outside(option)) {
                            final String text = option.longestName() + "=" + value;
                            final List<String> words = new ArrayList<>(List.of(name, text));
                            words.addAll(positionals(command));
                            REQUIRED.getOrDefault(name, List.of()).stream()
                                .filter(word -> !word.startsWith(option.longestName() + "="))
                                .forEach(words::add);
                            final CliRun run = CliRun.of(words.toArray());
                            final String said = option.longestName() + " must be ";
                            if (run.exitCode() == 2
                                && run.err().contains(said)
                                && run.err().contains(": " + text)) {
                              refused.add(name + " " + text);
                            } else {
                              accepted.add(String.join(" ", words) + ": " + run.err());
                            }
                          }
                        }));

    assertThat(accepted).isEmpty();
    assertThat(refused).hasSizeGreaterThan(80);
  }

  private static List<String> outside(OptionSpec option) {
    final List<String> values = new ArrayList<>();
    if (option.userObject() instanceof AnnotatedElement field
        && field.getAnnotation(InRange.class) != null) {
      final InRange range = field.getAnnotation(InRange.class);
      if (range.from() > Double.NEGATIVE_INFINITY) {
        values.add(text(range.above() ? range.from() : range.from() - 1));
      }
      if (range.to() < Double.POSITIVE_INFINITY) {
        values.add(text(range.below() ? range.to() : range.to() + 1));
      }
    }
    return values;
  }

  private static String text(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }

  /** A condition names what there is. */
  @Test
  void shouldNameOptionsThatExist() {
    final Set<String> known = new TreeSet<>();
    final Set<String> named = new TreeSet<>();

    commands()
        .values()
        .forEach(
            command -> {
              for (ArgSpec argument : command.getCommandSpec().args()) {
                known.add(argument.paramLabel());
                if (argument instanceof OptionSpec option) {
                  known.addAll(List.of(option.names()));
                }
                if (argument.userObject() instanceof AnnotatedElement field) {
                  for (Needs needs : field.getAnnotationsByType(Needs.class)) {
                    named.addAll(List.of(needs.value()));
                  }
                  final Excludes excludes = field.getAnnotation(Excludes.class);
                  named.addAll(excludes == null ? List.of() : List.of(excludes.value()));
                }
              }
            });

    assertThat(known).containsAll(named);
  }

  private static Map<String, CommandLine> commands() {
    return HeadwayCli.commandLine().getSubcommands();
  }

  private static boolean mustNotBeAlone(CommandLine command, OptionSpec option) {
    return option.userObject() instanceof AnnotatedElement field
        && List.of(field.getAnnotationsByType(Needs.class)).stream()
            .anyMatch(
                needs -> !needs.byDefault() && isOf(command, needs) && !isRequired(command, needs));
  }

  private static boolean isOf(CommandLine command, Needs needs) {
    return command.getCommandSpec().args().stream()
        .anyMatch(argument -> isNamed(argument, needs.value()));
  }

  private static boolean isRequired(CommandLine command, Needs needs) {
    return command.getCommandSpec().args().stream()
        .anyMatch(argument -> argument.required() && isNamed(argument, needs.value()));
  }

  private static boolean isNamed(ArgSpec argument, String... names) {
    return List.of(names).stream()
        .anyMatch(
            name ->
                argument instanceof OptionSpec option
                    ? List.of(option.names()).contains(name)
                    : argument.paramLabel().equals(name));
  }

  /** A value of the option's type; whether it is a sensible one is asked later. */
  private static String value(OptionSpec option) {
    if (option.arity().max() == 0) {
      return "";
    }
    final Class<?> type = option.type();
    if (type.isEnum()) {
      return "=" + ((Enum<?>) type.getEnumConstants()[0]).name();
    }
    return option.completionCandidates() != null ? "=x" : "=1";
  }

  private static List<String> positionals(CommandLine command) {
    return command.getCommandSpec().positionalParameters().stream()
        .filter(PositionalParamSpec::required)
        .map(parameter -> LOAD)
        .toList();
  }
}
