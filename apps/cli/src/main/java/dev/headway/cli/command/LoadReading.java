package dev.headway.cli.command;

import dev.headway.simulation.compare.Load;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** What becomes of rows of a load that are no request, on the command line. */
public final class LoadReading {

  @Option(
      names = "--strict",
      description =
          "Refuse a load with rows that are no request, such as failed requests without response"
              + " tokens; otherwise they are left out and counted.")
  private boolean strict;

  /** The load, read as the command line says; what is left out is said on standard error. */
  public Load of(Load load, CommandMessages messages) {
    return load.reading(strict, remarks(messages));
  }

  /** The only load of a command: options about the rows of a file are refused if it has none. */
  public Load ofOnly(Load load, CommandMessages messages) {
    requireRows(load, messages);
    return of(load, messages);
  }

  private void requireRows(Load load, CommandMessages messages) {
    if (load.isMade() && (strict || messages.isGiven("--format"))) {
      throw messages.wrong(
          (strict ? "--strict" : "--format")
              + " is about the rows of a file, and LOAD is made up: LOAD="
              + load.source());
    }
  }

  /** Says each line once, however often a load is read; any thread. */
  public static Consumer<String> remarks(CommandMessages messages) {
    final Set<String> said = ConcurrentHashMap.newKeySet();
    return remark -> {
      if (said.add(remark)) {
        messages.say(remark);
      }
    };
  }
}
