package dev.headway.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** What a run of the program left on its streams. */
public record CliRun(int exitCode, String out, String err) {

  /** As {@code main} runs it, in this JVM. */
  public static CliRun of(Object... arguments) {
    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();
    final List<String> words = Arrays.stream(arguments).map(Object::toString).toList();
    final CommandLine line = HeadwayCli.commandLine(words::contains);
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    final int exitCode = line.execute(words.toArray(String[]::new));
    return new CliRun(exitCode, out.toString(), err.toString());
  }

  /** The program's command line. */
  public static CommandLine line() {
    return HeadwayCli.commandLine();
  }

  /** The commands of the program, by name. */
  public static Map<String, CommandLine> commands() {
    return HeadwayCli.commandLine().getSubcommands();
  }
}
