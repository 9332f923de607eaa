package dev.headway.cli.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.csv.CsvResult;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.ProbeReplay;
import dev.headway.probes.csv.RandomRun;
import dev.headway.probes.csv.Scenarios;
import dev.headway.report.ProfileLines;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The commands that read a journal or a profile, from their command lines. */
class JournalCommandsTest {

  @TempDir private Path temporary;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void shouldProfileAJournalAsTheRecordsSay() throws IOException {
    final Path journal = journal(new RandomRun(61, 400, 2).script);
    final Path file = temporary.resolve("p.jsonl");

    assertThat(run(new ProfileCommand(), journal, "-o", file)).isZero();
    assertThat(run(new ProfileCommand(), journal, "-o", "-")).isZero();

    final String direct = ProfileLines.of(new RandomRun(61, 400, 2).script).text();
    assertThat(withoutSettings(Files.readString(file))).isEqualTo(withoutSettings(direct));
    assertThat(out.toString()).isEqualTo(Files.readString(file));
    assertThat(run(new ProfileCommand(), journal, "-o", file)).isEqualTo(1);
    assertThat(err.toString())
        .contains("headway profile: " + file)
        .contains("the output exists; --overwrite replaces it");
    assertThat(run(new ProfileCommand(), journal, "-o", file, "--overwrite")).isZero();
  }

  @Test
  void shouldAnalyseAJournalLikeItsProfile() throws IOException {
    final Path journal = journal(new RandomRun(62, 400, 1).script);
    final Path file = temporary.resolve("p.jsonl.gz");
    assertThat(run(new ProfileCommand(), journal, "-o", file)).isZero();

    assertThat(run(new AnalyzeCommand(), journal)).isZero();
    final String ofJournal = out.toString();
    out.getBuffer().setLength(0);
    assertThat(run(new AnalyzeCommand(), file)).isZero();

    assertThat(out.toString()).isEqualTo(ofJournal).contains("throughput_wall", "\n* ");
  }

  @Test
  void shouldCompareTwoProfiles() throws IOException {
    final Path first = profile("a.jsonl", new RandomRun(63, 300, 1).script);
    final Path second = profile("b.jsonl", new RandomRun(64, 300, 1).script);

    assertThat(run(new AnalyzeCommand(), first, "--compare", second)).isZero();
    assertThat(out.toString()).contains("A: " + first, "B: " + second, "significant", " no ");

    out.getBuffer().setLength(0);
    assertThat(run(new AnalyzeCommand(), first, "--compare", second, "--json")).isZero();
    assertThat(out.toString())
        .startsWith("{\"schema\":1,\"analysis\":{")
        .contains("\"comparison\"");
  }

  @Test
  void shouldDrawAProfile() throws IOException {
    final Path profile = profile("p.jsonl", Scenarios.preemption());
    final Path page = profile.resolveSibling("page.html");

    assertThat(run(new AnalyzeCommand(), profile, "--html", page)).isZero();

    assertThat(Files.readString(page))
        .contains("1. Scheduling and model run", "6. Scheduling against model run")
        .contains("Prefill chunks", "Suspicious steps", "A trend needs one run of 100 steps")
        .contains("6 steps in 1 run");
    assertThat(err.toString()).contains("wrote " + page);
    assertThat(run(new AnalyzeCommand(), profile, "--html", page)).isEqualTo(1);
    assertThat(run(new AnalyzeCommand(), profile, "--html", page, "--overwrite")).isZero();
  }

  @Test
  void shouldSayWhatItLeftOut() throws IOException {
    final Path file = profile("p.jsonl", Scenarios.preemption());
    Files.writeString(file, "no record\n" + Files.readString(file) + "{\"batch_id\":6,\"sched");

    assertThat(run(new AnalyzeCommand(), file)).isEqualTo(3);

    assertThat(out.toString()).startsWith("6 steps in 1 run");
    assertThat(err.toString())
        .contains("headway analyze: the last line is cut and was left out: file=" + file)
        .contains("malformed=1, records=6");
  }

  @Test
  void shouldCheckTheTimesOfAJournal() throws IOException {
    final Path journal = journal(Scenarios.preemption());

    assertThat(run(new CheckTimingCommand(), journal, "--quiet")).isZero();

    assertThat(out.toString())
        .contains("PASS  I1                     checked=3, violations=0")
        .contains("SKIP  low load               the load is not low")
        .endsWith("no rule failed" + System.lineSeparator());
  }

  @Test
  void shouldFailWhenARuleDoes() throws IOException {
    final Path csv = temporary.resolve("csv");
    CsvResult.of(Scenarios.preemption(), csv);
    final Path file = csv.resolve("per_request.csv");
    Files.writeString(file, Files.readString(file).replace("\na,10,110,", "\na,10,18,"));

    assertThat(run(new CheckTimingCommand(), file)).isEqualTo(4);

    assertThat(out.toString())
        .contains("FAIL  order", "must hold: arrival_time <= queued_time <= first_scheduled_time")
        .contains("first:     request_id=a, run=0, request_number=0, arrival_time=10")
        .contains("rules failed");
  }

  @Test
  void shouldWriteTrainingRowsAndForwardPassMetrics() throws IOException {
    final Path journal = journal(Scenarios.preemption());
    final Path rows = temporary.resolve("rows");
    final Path fpm = temporary.resolve("fpm.jsonl");

    assertThat(run(new TrainingCommand(), journal, "-o", rows)).isZero();
    assertThat(run(new TrainingCommand(), journal, "-o", rows)).isEqualTo(1);
    assertThat(run(new TrainingCommand(), journal, "-o", rows, "--overwrite")).isZero();
    assertThat(run(new FpmCommand(), journal, "-o", fpm, "--worker-id", "w7")).isZero();

    assertThat(new CsvResult(rows).rows("beta.csv")).hasSize(6);
    assertThat(Files.readString(fpm).lines()).hasSize(6).allMatch(l -> l.contains("\"w7\""));
    try (Stream<Path> files = Files.list(temporary)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("journal", "rows", "fpm.jsonl");
    }
  }

  static Stream<Arguments> commands() {
    return Stream.of(
        Arguments.of(new ProfileCommand(), "JOURNAL --output --overwrite --quiet"),
        Arguments.of(new AnalyzeCommand(), "FILE|JOURNAL --compare --warm-up --json --quiet"),
        Arguments.of(new CheckTimingCommand(), "CSV_DIR|FILE|JOURNAL --quiet PASS"),
        Arguments.of(new TrainingCommand(), "JOURNAL --output alpha.csv beta.csv --quiet"),
        Arguments.of(new FpmCommand(), "JOURNAL --output --worker-id --overwrite --quiet"));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void shouldExplainEveryOptionAndExitCode(Object command, String words) {
    assertThat(run(command, "--help")).isZero();

    assertThat(out.toString())
        .contains(words.split(" "))
        .contains("Exit codes:", "Examples:", "  headway ");
    assertThat(out.toString().lines()).allMatch(line -> line.length() <= 80);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void shouldFailInOneLineWhenThereIsNothingToRead(Object command, String words)
      throws IOException {
    final Path missing = temporary.resolve("missing\u001B[31m");
    final String name = new CommandLine(command).getCommandName();
    final Object[] arguments =
        words.contains("--output")
            ? new Object[] {missing, "-o", temporary.resolve("out")}
            : new Object[] {missing};

    assertThat(run(command)).isEqualTo(2);
    err.getBuffer().setLength(0);
    assertThat(run(command, arguments)).isEqualTo(1);

    assertThat(err.toString())
        .startsWith("headway " + name + ": ")
        .doesNotContain(": not ")
        .contains("missing\\u001b[31m")
        .doesNotContain("\u001B");
    assertThat(err.toString().lines()).hasSize(1);
    try (Stream<Path> files = Files.list(temporary)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void shouldRefuseAWarmUpThatIsNoNumber() {
    assertThat(run(new AnalyzeCommand(), "p.jsonl", "--warm-up", "long")).isEqualTo(2);

    assertThat(err.toString())
        .contains("--warm-up: warm-up must be a number of steps, or of seconds with an s: long");
  }

  private Path profile(String name, EventScript script) throws IOException {
    return Files.writeString(temporary.resolve(name), ProfileLines.of(script).text());
  }

  private Path journal(EventScript script) throws IOException {
    final Path directory = temporary.resolve("journal");
    try (JournalProbe probe = JournalProbe.open(directory, JournalLevel.FULL)) {
      script.playTo(new ProbeReplay(probe));
    }
    return directory;
  }

  /** ProbeReplay has settings of its own. */
  private static String withoutSettings(String text) {
    return text.replaceAll("\"token_budget\":[^,]*,\"budget_left\":[^,]*,", "");
  }

  private int run(Object command, Object... arguments) {
    final String[] words = new String[arguments.length];
    for (int i = 0; i < words.length; i++) {
      words[i] = arguments[i].toString();
    }
    return new CommandLine(command)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(words);
  }
}
