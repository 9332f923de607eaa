package dev.headway.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.HeadwayCli;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The program {@code headway} as a process of its own, which signals can be sent to. */
final class HeadwayProcess implements AutoCloseable {

  private static final long LONGEST_S = 60;

  private final Process process;
  private final Path output;

  private HeadwayProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /**
   * Starts it.
   *
   * @param folder on its class path, and where its output goes
   * @param environment variables beside those of this process
   */
  static HeadwayProcess start(Path folder, Map<String, String> environment, String... words)
      throws IOException, InterruptedException {
    final List<String> command = new ArrayList<>(withDefaultSignals());
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-cp", folder + File.pathSeparator + classPath()));
    command.add(HeadwayCli.class.getName());
    command.addAll(List.of(words));
    final Path output = Files.createTempFile(folder, "output", ".txt");
    final ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("HEADWAY_"));
    builder.environment().putAll(environment);
    return new HeadwayProcess(builder.start(), output);
  }

  /** A shell starts what it leaves in the background deaf to Ctrl-C, and its children too. */
  private static List<String> withDefaultSignals() throws IOException, InterruptedException {
    final List<String> prefix = List.of("env", "--default-signal=INT");
    final List<String> trial = new ArrayList<>(prefix);
    trial.add("true");
    final boolean isKnown =
        new ProcessBuilder(trial)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor()
            == 0;
    return isKnown ? prefix : List.of();
  }

  private static String classPath() {
    // surefire hands the class path over in a manifest and leaves the real one in this property
    final String real = System.getProperty("surefire.test.class.path");
    return real != null ? real : System.getProperty("java.class.path");
  }

  String output() throws IOException {
    return Files.readString(output);
  }

  /** Waits until its output has a text, and returns that. */
  String await(String pattern) throws IOException, InterruptedException {
    final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_S);
    final Matcher wanted = Pattern.compile(pattern).matcher(output());
    while (!wanted.find()) {
      assertThat(process.isAlive()).as("is alive: %s", output()).isTrue();
      assertThat(System.nanoTime()).as("waiting for %s", pattern).isLessThan(deadlineNs);
      Thread.sleep(10);
      wanted.reset(output());
    }
    return wanted.group();
  }

  /** Sends a signal by its name, as in INT. */
  void signal(String name) throws IOException, InterruptedException {
    assertThat(
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor())
        .as("kill -%s", name)
        .isZero();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits until it ends. */
  int exitCode() throws IOException, InterruptedException {
    assertThat(process.waitFor(LONGEST_S, TimeUnit.SECONDS)).as("ends: %s", output()).isTrue();
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
