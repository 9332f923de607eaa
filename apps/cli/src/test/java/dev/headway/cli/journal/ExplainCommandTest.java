package dev.headway.cli.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.CliRun;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.csv.ScriptedJournals;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command line on a journal on disk. */
class ExplainCommandTest {

  @TempDir private Path temporary;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private String journal;

  @BeforeEach
  void writeJournal() throws IOException {
    journal = temporary.resolve("journal").toString();
    try (JournalProbe probe = JournalProbe.open(Path.of(journal), JournalLevel.FULL)) {
      ScriptedJournals.playPreemption(probe);
    }
  }

  @Test
  void shouldExplainARequest() {
    assertThat(run(journal, "--request", "b")).isZero();

    assertThat(out.toString())
        .startsWith("Request b\n")
        .contains("PREEMPTED in iteration 2 (kv_blocks), for a")
        .containsPattern("end to end +590 ns +590 100.0 %");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void shouldPrintJson() {
    assertThat(run(journal, "--request", "b", "--json")).isZero();

    assertThat(out.toString()).startsWith("{\n  \"format\" : \"headway-explain\",").endsWith("}\n");
  }

  @Test
  void shouldListWhoTookLongest() {
    assertThat(run(journal, "--slowest", "2")).isZero();
    assertThat(out.toString().lines().toList())
        .hasSize(3)
        .satisfies(lines -> assertThat(lines.get(1)).startsWith("b  "))
        .satisfies(lines -> assertThat(lines.get(2)).startsWith("a  "))
        .allMatch(line -> line.length() <= 92);

    out.getBuffer().setLength(0);
    assertThat(run(journal, "--longest-wait", "9")).isZero();
    assertThat(out.toString().lines().toList())
        .hasSize(4)
        .satisfies(lines -> assertThat(lines.get(2)).startsWith("c  "));
  }

  @Test
  void shouldNameIdsLikeAnUnknownOne() {
    assertThat(run(journal, "--request", "bee")).isEqualTo(1);

    assertThat(err.toString())
        .contains("headway explain: no request of that id: id=bee, requests=4, runs=1")
        .contains("headway explain: the closest ids: b, big, a, c");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void shouldFailWhenThereIsNoJournal() {
    assertThat(run(temporary.resolve("missing").toString(), "--slowest", "1")).isEqualTo(1);

    assertThat(err.toString()).startsWith("headway explain: there is no journal at ");
  }

  @Test
  void shouldListTheSlowestUnlessAsked() {
    final int unasked = run(journal);
    final String listed = out.toString();
    out.getBuffer().setLength(0);

    assertThat(unasked).isEqualTo(run(journal, "--slowest", "5"));
    assertThat(listed).startsWith("REQUEST").isEqualTo(out.toString());
  }

  @Test
  void shouldRefuseAWrongCommandLine() {
    assertThat(run(journal, "--request", "a", "--slowest", "1")).isEqualTo(2);
    assertThat(run(journal, "--slowest", "1", "--number", "1")).isEqualTo(2);
    assertThat(err.toString()).contains("--number needs --request");
    assertThat(CliRun.of("explain", journal, "--slowest", "0").err())
        .contains("--slowest must be >= 1: --slowest=0");
    assertThat(CliRun.of("explain", journal, "--request", "a", "--run", "-1").err())
        .contains("--run must be >= 0: --run=-1");
  }

  @Test
  void shouldExplainEveryOption() {
    assertThat(run("--help")).isZero();

    assertThat(out.toString())
        .contains(
            "--request", "--slowest", "--longest-wait", "--run", "--number", "--json", "JOURNAL")
        .contains("n > 1", "-0, -1");
    assertThat(out.toString().lines()).allMatch(line -> line.length() <= 80);
  }

  private int run(String... arguments) {
    return new CommandLine(new ExplainCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }
}
