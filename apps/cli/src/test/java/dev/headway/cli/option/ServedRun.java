package dev.headway.cli.option;

import dev.headway.cli.CliRun;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** A command that serves: run on a thread, spoken with, and stopped by an interrupt. */
final class ServedRun {

  /** Word of a trial that says what is asked, instead of everything that is quick. */
  static final String ASK = "ask:";

  private static final Pattern ADDRESS = Pattern.compile("http://([0-9.]+):([0-9]+)/v1");
  private static final long LONGEST_MS = 20_000;

  private ServedRun() {}

  /** Runs it; the output has the conversation behind what the command prints. */
  static CliRun of(Object... words) {
    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();
    final CommandLine line = CliRun.line();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    final List<String> all = List.of(words).stream().map(Object::toString).toList();
    final String[] command = all.stream().filter(w -> !w.startsWith(ASK)).toArray(String[]::new);
    final int[] exitCode = new int[1];
    final Thread thread = new Thread(() -> exitCode[0] = line.execute(command), "served");
    thread.start();
    String told = "";
    String port = "";
    try {
      final Matcher address = address(out, thread);
      if (address != null) {
        port = ":" + address.group(2);
        final String questions =
            all.stream()
                .filter(w -> w.startsWith(ASK))
                .findFirst()
                .orElse(ASK + Conversation.QUICK);
        final Conversation conversation =
            new Conversation(address.group(1), Integer.parseInt(address.group(2)));
        conversation.awaitReady();
        told = conversation.ask(questions.substring(ASK.length()));
      }
      thread.interrupt();
      thread.join(LONGEST_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    final String printed = port.isEmpty() ? out.toString() : out.toString().replace(port, ":PORT");
    return new CliRun(exitCode[0], printed.replaceAll("under way=\\d+", "") + told, err.toString());
  }

  private static Matcher address(StringWriter out, Thread thread) throws InterruptedException {
    final long end = System.currentTimeMillis() + LONGEST_MS;
    while (thread.isAlive() && System.currentTimeMillis() < end) {
      final Matcher address = ADDRESS.matcher(out.toString());
      if (address.find() && out.toString().endsWith("\n\n")) {
        return address;
      }
      thread.join(5);
    }
    return null;
  }
}
