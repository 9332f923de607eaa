package dev.headway.clients;

import dev.headway.cli.HeadwayCli;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The program {@code headway} in a process of its own, serving on a port that was free. */
final class Program implements AutoCloseable {

  private static final Pattern ADDRESS = Pattern.compile("http://127[.]0[.]0[.]1:\\d+");
  private static final long LONGEST_S = 60;

  private final Process process;
  private final Path output;

  private Program(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** Starts {@code headway WORDS --port 0}, which takes a second or two: see {@link #address}. */
  static Program start(String... words) throws IOException {
    final List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp"));
    command.add(classPath());
    command.add(HeadwayCli.class.getName());
    command.addAll(List.of(words));
    command.addAll(List.of("--port", "0"));
    final Path output = Files.createTempFile("headway", ".txt");
    final ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("HEADWAY_"));
    return new Program(builder.start(), output);
  }

  private static String classPath() {
    // surefire hands the class path over in a manifest and leaves the real one in this property
    final String real = System.getProperty("surefire.test.class.path");
    return real != null ? real : System.getProperty("java.class.path");
  }

  /** Where it listens, as in {@code http://127.0.0.1:40123}; waits until it does. */
  URI address() throws IOException {
    final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_S);
    while (true) {
      final String said = Files.readString(output);
      final Matcher found = ADDRESS.matcher(said.substring(Math.max(0, said.indexOf("address"))));
      if (found.find()) {
        return URI.create(found.group());
      }
      if (!process.isAlive() || System.nanoTime() > deadlineNs) {
        throw new IllegalStateException("the server must say where it listens: output=" + said);
      }
      pause();
    }
  }

  /** Gives the process the processor; its output cannot be waited for. */
  static void pause() {
    try {
      Thread.sleep(10);
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted while waiting for a server", e);
    }
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly().onExit().join();
    Files.deleteIfExists(output);
  }
}
