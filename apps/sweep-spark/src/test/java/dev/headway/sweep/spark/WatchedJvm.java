package dev.headway.sweep.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A JVM of its own whose output is waited for. */
final class WatchedJvm implements AutoCloseable {

  private static final long DEADLINE_SECONDS = 240;

  private final String name;
  private final Process process;
  private final List<String> lines = new ArrayList<>();

  private WatchedJvm(String name, Process process) {
    this.name = name;
    this.process = process;
  }

  /** Starts {@code java} with these words. */
  static WatchedJvm start(
      String name, Path directory, Map<String, String> environment, List<String> words)
      throws IOException {
    final List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(words);
    final ProcessBuilder builder =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
    builder.environment().putAll(environment);
    final WatchedJvm jvm = new WatchedJvm(name, builder.start());
    Thread.ofPlatform().daemon().name("output of " + name).start(jvm::read);
    return jvm;
  }

  private void read() {
    try (BufferedReader reader = process.inputReader()) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        synchronized (lines) {
          lines.add(line);
          lines.notifyAll();
        }
      }
    } catch (IOException e) {
      // it was killed; what it printed before is there
    }
  }

  /** Waits until so many lines match, and returns the first group of the last of them. */
  String await(int times, String regex) throws InterruptedException {
    final Pattern pattern = Pattern.compile(regex);
    final long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    synchronized (lines) {
      int seen = 0;
      int next = 0;
      while (true) {
        for (; next < lines.size(); next++) {
          final Matcher matcher = pattern.matcher(lines.get(next));
          if (matcher.find() && ++seen == times) {
            return matcher.groupCount() == 0 ? matcher.group() : matcher.group(1);
          }
        }
        final long leftMs = TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime());
        if (leftMs <= 0 || !process.isAlive()) {
          throw new AssertionError(
              "%s must print %d times: %s%n%s".formatted(name, times, regex, output()));
        }
        lines.wait(Math.min(leftMs, 1_000)); // it may end without a word
      }
    }
  }

  /** Waits for its end. */
  int exitCode() throws InterruptedException {
    if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError(name + " must end\n" + output());
    }
    return process.exitValue();
  }

  /** What it has printed; the last thousand lines. */
  String output() {
    synchronized (lines) {
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 1_000), lines.size()));
    }
  }

  /** Ends it at once, as {@code kill -9} does. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
