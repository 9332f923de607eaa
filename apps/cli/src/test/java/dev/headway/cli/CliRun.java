package dev.headway.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import picocli.CommandLine;

/** What a run of the program left on its streams. */
public record CliRun(int exitCode, String out, String err) {

  public static CliRun of(Object... arguments) {
    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();
    final CommandLine line = HeadwayCli.commandLine();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    final String[] words = new String[arguments.length];
    for (int i = 0; i < words.length; i++) {
      words[i] = arguments[i].toString();
    }
    final int exitCode = line.execute(words);
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
