package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

class HeadwayCliTest {

  private static final Pattern DOTTED = Pattern.compile("\\w+(\\.\\w+)+");

  @TempDir private Path temporary;

  @Test
  void shouldListCommandsAndExitCodes() {
    final CliRun run = CliRun.of("--help");

    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .contains(
            "demo",
            "replay",
            "compare",
            "sweep",
            "serve",
            "convert",
            "explain",
            "report",
            "trace",
            "otlp",
            "metrics",
            "profile",
            "analyze",
            "check-timing",
            "training",
            "fpm",
            "--stacktrace",
            "Exit codes:",
            "headway demo");
  }

  private static Set<String> commands() {
    return CliRun.commands().keySet();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void shouldExplainEveryCommand(String command) {
    final CliRun run = CliRun.of(command, "--help");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("headway " + command, "Exit codes:", "--help");
    assertFitsTerminal(run.out(), CliRun.commands().get(command).getCommandSpec());
  }

  @Test
  void shouldExplainItselfOnEveryTerminal() {
    assertFitsTerminal(CliRun.of("--help").out(), CliRun.line().getCommandSpec());
  }

  /** Examples can be copied line by line; names of files and numbers are not broken at the dot. */
  private static void assertFitsTerminal(String help, CommandSpec command) {
    assertThat(help.lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(HeadwayCli.HELP_COLUMNS))
        .containsAll(List.of(command.usageMessage().footer()));
    assertThat(
            Stream.concat(
                    Stream.<String[]>of(command.usageMessage().description()),
                    command.options().stream()
                        .filter(option -> !option.hidden())
                        .map(ArgSpec::description))
                .flatMap(text -> DOTTED.matcher(String.join(" ", text)).results())
                .map(MatchResult::group))
        .allSatisfy(name -> assertThat(help).contains(name));
  }

  /** A directory that does not exist is rather a misspelt name than one to be made. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo -o",
        "replay chatbot -o",
        "simulate chatbot -o",
        "compare chatbot --out",
        "route-study chatbot --output",
        "sweep plan.yaml -o",
        "bench --output-path",
        "convert journal -o",
        "convert journal",
        "training journal -o"
      })
  void shouldMakeAnOutputDirectoryOnlyInADirectoryThatIsThere(String words) {
    final Path none = temporary.resolve("none");
    final Path out = none.resolve("out");

    final CliRun run = CliRun.of((Object[]) (words + " " + out).split(" "));

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualToIgnoringNewLines(
            "headway %s: %s: there is no such directory; make it first: mkdir -p %s"
                .formatted(words.replaceFirst(" .*", ""), out, none));
    assertThat(none).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--version", "demo --version", "replay --version", "trace --version"})
  void shouldTellTheVersion(String arguments) {
    final CliRun run = CliRun.of((Object[]) arguments.split(" "));

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).startsWith("headway ").contains("Java ");
  }

  static Stream<Arguments> wrongCommandLines() {
    return Stream.of(
        Arguments.of("", "headway: a command is needed, for example: demo (see headway --help)"),
        Arguments.of("replay", "headway replay: LOAD is missing (see"),
        Arguments.of(
            "replai",
            "headway: there is no command 'replai'; the nearest: replay, explain, plan"
                + " (see headway --help)"),
        Arguments.of(
            "serv --help",
            "headway: there is no command 'serv'; the nearest: serve, convert (see headway --help)"),
        Arguments.of("123", "headway: there is no command '123' (see headway --help)"),
        Arguments.of("--modle", "headway: there is no option '--modle' (see headway --help)"),
        Arguments.of(
            "demo --requests 0",
            "headway demo: --requests must be in [1, 1000000]: --requests=0 (see headway demo"
                + " --help)"),
        Arguments.of(
            "replay trace --max-num-seqs 9000",
            "headway replay: --max-num-batched-tokens must be >= --max-num-seqs so that every"
                + " running request can decode: --max-num-batched-tokens=8192,"
                + " --max-num-seqs=9000"),
        Arguments.of(
            "replay trace --no-chunked-prefill",
            "headway replay: --max-num-batched-tokens must be >= --max-model-len (or"
                + " --long-prefill-token-threshold, if set) when --no-chunked-prefill is given"),
        Arguments.of(
            "replay trace --kv-gib 1 --num-blocks 9",
            "headway replay: --num-blocks and --kv-gib exclude each other: --num-blocks=9,"
                + " --kv-gib=1.0"),
        Arguments.of(
            "replay trace --kv-gib 0.001",
            "headway replay: --kv-gib must hold at least 2 blocks of 2097152 bytes: --kv-gib=0.001,"
                + " --block-size=16"),
        Arguments.of(
            "replay trace --watermark 1",
            "headway replay: --watermark must be in [0, 1): --watermark=1"),
        Arguments.of(
            "replay trace --displacement",
            "headway replay: --displacement needs --policy priority: --policy=fcfs (see"),
        Arguments.of(
            "replay trace --num-speculative-tokens 3",
            "headway replay: --num-speculative-tokens needs --speculative-method:"
                + " --num-speculative-tokens=3"),
        Arguments.of(
            "replay trace --num-host-blocks 5 --no-prefix-caching",
            "headway replay: --num-host-blocks needs shared blocks: --num-host-blocks=5,"
                + " --no-prefix-caching is given"),
        Arguments.of(
            "replay trace --policy lifo",
            "headway replay: --policy lifo: no policy named 'lifo': found=["),
        Arguments.of(
            "replay trace --latency 1,2,x,4",
            "headway replay: --latency must be four whole numbers of ns,"
                + " fixed,prefill,decode,kv: --latency=1,2,x,4"),
        Arguments.of(
            "replay trace --rate-scale 0",
            "headway replay: --rate-scale must be > 0: --rate-scale=0"),
        Arguments.of(
            "analyze p.jsonl --warm-up x",
            "headway analyze: --warm-up: warm-up must be a number of steps, or of seconds with an"
                + " s: x"),
        Arguments.of("check-timing", "headway check-timing: CSV_DIR|FILE|JOURNAL is missing (see"),
        Arguments.of(
            "demo --request 10",
            "headway demo: there is no option '--request'; the nearest: --requests (see"),
        Arguments.of(
            "replay trace --journal full",
            "headway replay: there is no option '--journal'; the nearest: --journal-level (see"),
        Arguments.of(
            "replay trace --journal-level ful",
            "headway replay: --journal-level must be one of off, summary, full, debug:"
                + " --journal-level=ful; the nearest: full (see"),
        Arguments.of(
            "demo --requests x",
            "headway demo: --requests must be a whole number: --requests=x (see"),
        Arguments.of(
            "replay trace --watermark x",
            "headway replay: --watermark must be a number: --watermark=x (see"),
        Arguments.of("demo --seed", "headway demo: --seed needs a value (see"),
        Arguments.of("demo more", "headway demo: there is one word too many: 'more' (see"),
        Arguments.of(
            "explain journal w-6",
            "headway explain: there is one word too many: 'w-6'; for a request: --request w-6"
                + " (see"),
        Arguments.of("replay trace --limit 0", "headway replay: --limit must be >= 1: --limit=0"),
        Arguments.of("replay trace --format x", "headway replay: --format: trace format must be"));
  }

  @ParameterizedTest
  @MethodSource("wrongCommandLines")
  void shouldRefuseWhatIsWrongInOneLine(String arguments, String message) {
    final CliRun run =
        arguments.isEmpty() ? CliRun.of() : CliRun.of((Object[]) arguments.split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith(message).doesNotContain("\tat ");
    assertThat(run.err().lines().findFirst().orElseThrow()).endsWith("--help)");
  }

  @Test
  void shouldTellFailuresInOneLineUnlessAskedForMore() {
    final CliRun brief = CliRun.of("replay", "no-such-file.csv");
    final CliRun full = CliRun.of("--stacktrace", "replay", "no-such-file.csv");

    assertThat(brief.exitCode()).isEqualTo(1);
    assertThat(brief.err().strip()).isEqualTo("headway replay: no such file: no-such-file.csv");
    assertThat(full.exitCode()).isEqualTo(1);
    assertThat(full.err()).contains("headway replay: no such file", "\tat ");
  }

  @Test
  void shouldTellWhereACommandThatReadsAJournalFails() {
    final CliRun brief = CliRun.of("trace", "no-such-journal");
    final CliRun full = CliRun.of("trace", "no-such-journal", "--stacktrace");

    assertThat(brief.exitCode()).isEqualTo(1);
    assertThat(brief.err().strip())
        .isEqualTo("headway trace: there is no journal at no-such-journal: no such directory");
    assertThat(full.exitCode()).isEqualTo(1);
    assertThat(full.err()).startsWith(brief.err()).contains("\tat ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "serve | --host=0.0.0.0 | --api-key must be given where --host lets others in",
        "route | --host=0.0.0.0 | --api-key must be given where --host lets others in",
        "serve | \"--api-key=  \" | --api-key must not be blank",
        "route | \"--api-key=  \" | --api-key must not be blank",
        "route | \"--worker-key= \" | --worker-key must not be blank",
        "route | \"--control-key= \" | --control-key must not be blank"
      })
  void shouldNotStandOpenByMistake(String command, String option, String message) {
    final List<String> words = new ArrayList<>(List.of(command, option, "--port=0"));
    if (command.equals("route")) {
      words.add("--workers=127.0.0.1:1");
    }

    final CliRun run = CliRun.of(words.toArray());

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("headway " + command + ": " + message);
  }

  @Test
  void shouldRefuseMoreKvBlocksThanTheMachineHasMemoryFor() {
    final CliRun run =
        CliRun.of(
            "serve",
            "--executor",
            "vector",
            "--num-blocks",
            100_000_000,
            "--num-host-blocks",
            2_000_000_000);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith(
            "headway serve: KV cache and weights must fit the machine's memory:"
                + " --num-blocks=100000000, --num-host-blocks=2000000000, bytes of the"
                + " cache=17203200000000,"
                + " bytes of the weights=")
        .contains("; give fewer --num-blocks or --num-host-blocks, or a smaller model");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Java heap space", "GC overhead limit exceeded"})
  void shouldSayHowToEnlargeAFullHeap(String message) {
    assertThat(HeadwayCli.outOfMemory(new OutOfMemoryError(message)))
        .startsWith("the Java heap is full: maxHeapMiB=")
        .endsWith("; HEADWAY_OPTS=-Xmx4g gives it more");
  }

  /** A larger heap would leave less for what failed. */
  @Test
  void shouldNotSaySoWhereMemoryOutsideTheHeapIsFull() {
    final OutOfMemoryError failure =
        catchThrowableOfType(
            OutOfMemoryError.class,
            () -> {
              try (Arena arena = Arena.ofConfined()) {
                arena.allocate(1L << 60);
              }
            });

    assertThat(HeadwayCli.outOfMemory(failure))
        .startsWith("out of memory, and not for want of Java heap: ")
        .contains(failure.getMessage())
        .doesNotContain("Xmx");
  }
}
