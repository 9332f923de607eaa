package dev.headway.cli.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.internal.SafeText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ConvertCommandTest {

  @TempDir private Path temporary;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void shouldExplainEveryOptionAndExitCode() {
    assertThat(run("--help")).isZero();

    assertThat(out.toString())
        .contains(
            "--follow",
            "--overwrite",
            "--raw",
            "--iteration-requests",
            "--ids",
            "--quiet",
            "JOURNAL",
            "--out",
            "Exit codes:",
            "manifest.json",
            "LISTS");
    assertThat(out.toString().lines()).allMatch(line -> line.length() <= 80);
  }

  @Test
  void shouldRefuseAWrongCommandLine() {
    assertThat(run()).isEqualTo(2);
    assertThat(run("a", "b", "--iteration-requests", "some")).isEqualTo(2);
    assertThat(err.toString()).contains("'--iteration-requests'", "some", "FULL, CHANGES, OFF");
  }

  @Test
  void shouldFailWithoutATraceWhenThereIsNoJournal() throws IOException {
    final Path missing = temporary.resolve("missing\u001B[31m");

    assertThat(run(missing.toString(), temporary.resolve("csv").toString())).isEqualTo(1);

    assertThat(err.toString())
        .startsWith("headway convert: there is no journal at ")
        .contains("missing\\u001b[31m")
        .doesNotContain("\u001B");
    try (var files = Files.list(temporary)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void shouldShowControlCharactersInsteadOfObeyingThem() {
    assertThat(SafeText.of("a\tb\r\n\u2028\u202Ec\uD800d\u00E9\uD83D\uDE00"))
        .isEqualTo("a\\u0009b\\u000d\\u000a\\u2028\\u202ec\\ud800d\u00E9\uD83D\uDE00");
  }

  private int run(String... arguments) {
    final CommandLine command = ConvertCommand.commandLine(new ConvertCommand());
    return command
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }
}
