package dev.headway.cli.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.CliRun;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.databind.json.JsonMapper;

class ReportAndTraceCommandTest {

  @TempDir private Path temporary;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @ValueSource(strings = {"report", "trace"})
  void shouldExplainEveryOptionAndExitCode(String command) {
    assertThat(run(command, "--help")).isZero();

    assertThat(out.toString())
        .contains("JOURNAL", "--out", "--overwrite", "--quiet", "Exit codes:", "Examples:");
    assertThat(out.toString().lines()).allMatch(line -> line.length() <= 80);
  }

  @ParameterizedTest
  @ValueSource(strings = {"report", "trace"})
  void shouldRefuseAWrongCommandLine(String command) {
    assertThat(run(command)).isEqualTo(2);
    assertThat(run(command, "journal", "other")).isEqualTo(2);
    assertThat(CliRun.of("report", "journal", "--run", "-1").err())
        .contains("--run must be >= 0: --run=-1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"report", "trace"})
  void shouldLeaveNothingBehindWhenThereIsNoJournal(String command) throws IOException {
    final Path target = temporary.resolve("out.html");

    assertThat(run(command, temporary.resolve("none").toString(), "-o", target.toString()))
        .isEqualTo(1);

    assertThat(err.toString())
        .startsWith("headway " + command + ": there is no journal at ")
        .contains("none");
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(files()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"report", "trace"})
  void shouldReplaceAFileOnlyWhenAsked(String command) throws IOException {
    final Path journal = journal();
    final Path target = temporary.resolve("out");
    Files.writeString(target, "precious");

    assertThat(run(command, journal.toString(), "-o", target.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("exists; --overwrite replaces it");
    assertThat(target).hasContent("precious");

    assertThat(run(command, journal.toString(), "-o", target.toString(), "--overwrite")).isZero();
    assertThat(Files.size(target)).isGreaterThan(100);
    assertThat(files()).containsExactlyInAnyOrder("journal", "out");
    assertThat(err.toString()).contains("headway " + command + ": wrote ");
  }

  @Test
  void shouldRefuseADirectoryAndAFileInNone() throws IOException {
    final Path journal = journal();

    assertThat(run("report", journal.toString(), "-o", temporary.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("the output is a directory");
    final Path nowhere = temporary.resolve("no").resolve("where.html");
    assertThat(run("report", journal.toString(), "-o", nowhere.toString())).isEqualTo(1);
    assertThat(err.toString())
        .contains(nowhere + ": there is no such directory; make it first: mkdir -p ");
    assertThat(nowhere.getParent()).doesNotExist();
  }

  @Test
  void shouldSayThatAJournalWasCut() throws IOException {
    final Path copy = temporary.resolve("copy").resolve("run-000001");
    Files.createDirectories(copy);
    try (JournalProbe probe = JournalProbe.open(temporary.resolve("journal"), JournalLevel.FULL);
        var files = Files.list(probe.directory())) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }

    for (String command : List.of("report", "trace")) {
      final Path target = temporary.resolve(command);
      final int code = run(command, copy.getParent().toString(), "-q", "-o", target.toString());

      assertThat(code).as(err.toString()).isIn(1, 3); // 1: the cut left no start record
    }
  }

  @Test
  void shouldTakeLimitsInMillisecondsAndRefuseOthers() throws IOException {
    final Path target = temporary.resolve("report.html");
    final String journal = journal().toString();

    assertThat(
            run(
                "report",
                journal,
                "-o",
                target.toString(),
                "--slo-ttft",
                "2000",
                "--slo-itl",
                "0.5",
                "--slo-e2e",
                "1e4"))
        .isZero();
    for (String option : List.of("--slo-ttft", "--slo-tpot", "--slo-e2e")) {
      for (String value : List.of("0", "-1", "NaN", "Infinity", "1e13", "2s")) {
        final CliRun refused = CliRun.of("report", journal, option, value);

        assertThat(refused.exitCode()).as(option + value).isEqualTo(2);
        assertThat(refused.err()).contains(option).contains(value);
      }
    }
    assertThat(CliRun.of("report", journal, "--slo-e2e", "0").err())
        .contains("--slo-e2e must be in [0.001, 1e12]: --slo-e2e=0");
  }

  @Test
  void shouldCompress() throws IOException {
    final Path target = temporary.resolve("trace.json.gz");

    assertThat(run("trace", journal().toString(), "-q", "-o", target.toString())).isZero();

    try (InputStream in = new GZIPInputStream(Files.newInputStream(target))) {
      assertThat(new JsonMapper().readTree(in).get("traceEvents").isArray()).isTrue();
    }
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void shouldCompareWithAnotherJournal() throws IOException {
    final Path target = temporary.resolve("report.html");
    final String journal = journal().toString();

    assertThat(run("report", journal, "-q", "-o", target.toString(), "--compare", journal))
        .isZero();

    assertThat(Files.readString(target)).contains("Compared with another run");
  }

  /** A run of nothing. */
  private Path journal() throws IOException {
    final Path journal = temporary.resolve("journal");
    CommandRun.into(journal);
    return journal;
  }

  private List<String> files() throws IOException {
    try (var files = Files.list(temporary)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private int run(String command, String... arguments) {
    final CommandLine line =
        command.equals("report")
            ? ReportCommand.commandLine(new ReportCommand())
            : TraceCommand.commandLine(new TraceCommand());
    return line.setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }
}
