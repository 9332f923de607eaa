package dev.headway.fuzz;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs Jazzer on a target for {@code -Dheadway.fuzz.seconds}, in a JVM of its own, and writes a row
 * of {@code target/fuzz/results.csv}. What it learns stays in {@code target/fuzz/TARGET/corpus} for
 * the next run; a finding is left in {@code target/fuzz/TARGET}. One thread, once.
 */
final class JazzerRun {

  private static final Path RESULTS = Path.of("target", "fuzz");
  private static final String HEADER = "target,inputs,seconds,coverage,findings\n";
  private static final Pattern INPUTS =
      Pattern.compile("stat::number_of_executed_units: (\\d+)|Done (\\d+) runs");
  private static final Pattern COVERAGE = Pattern.compile("#\\d+\\s.* cov: (\\d+)");
  private static final Pattern PROGRESS = Pattern.compile("#(\\d+)\\s.* cov: ");

  private final Class<?> target;
  private final Path folder;
  private final Path log;

  JazzerRun(Class<?> target) {
    this.target = target;
    this.folder = RESULTS.resolve(target.getSimpleName());
    this.log = folder.resolve("log.txt");
  }

  /**
   * Runs.
   *
   * @throws AssertionError if there was a finding
   */
  void run() throws IOException, InterruptedException {
    Files.createDirectories(folder.resolve("corpus"));
    final long startNs = System.nanoTime();
    final Process process =
        new ProcessBuilder(command())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    final int exit;
    try {
      exit = process.waitFor();
    } finally {
      process.destroyForcibly();
    }
    record((System.nanoTime() - startNs) / 1_000_000_000, exit == 0 ? 0 : 1);
    if (exit != 0) {
      throw new AssertionError(
          "the parser must read or refuse every input: target="
              + target.getName()
              + ", log="
              + log.toAbsolutePath()
              + "; put the input, "
              + folder
              + "/crash-* or timeout-*, into "
              + corpus());
    }
  }

  private Path corpus() {
    return ParserFuzz.CORPORA.resolve(target.getSimpleName());
  }

  private List<String> command() {
    final List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (argument.startsWith("--") || argument.startsWith("-XX:+EnableDynamic")) {
        command.add(argument);
      }
    }
    command.add("-Xmx512m"); // an input that needs more is a finding
    command.add("-Xss1m");
    command.add("-D" + JazzerEntry.TARGET + "=" + target.getName());
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=off");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add("com.code_intelligence.jazzer.Jazzer");
    command.add("--target_class=" + JazzerEntry.class.getName());
    command.add("--instrumentation_includes=dev.headway.**");
    command.add("--custom_hook_includes=dev.headway.**");
    command.add("--reproducer_path=" + folder);
    command.add("-artifact_prefix=" + folder + "/");
    command.add("-max_total_time=" + Integer.getInteger("headway.fuzz.seconds", 60));
    command.add("-timeout=" + ParserFuzz.LONGEST_SECONDS);
    command.add("-rss_limit_mb=4096");
    command.add("-use_value_profile=1");
    command.add("-print_final_stats=1");
    command.add(folder.resolve("corpus").toString());
    command.add(corpus().toString());
    return command;
  }

  private void record(long seconds, int findings) throws IOException {
    long inputs = 0;
    long coverage = 0;
    for (String line : Files.readAllLines(log, java.nio.charset.StandardCharsets.ISO_8859_1)) {
      inputs = Math.max(inputs, number(INPUTS, line));
      inputs = Math.max(inputs, number(PROGRESS, line));
      coverage = Math.max(coverage, number(COVERAGE, line));
    }
    final Path results = RESULTS.resolve("results.csv");
    final String row =
        target.getSimpleName() + "," + inputs + "," + seconds + "," + coverage + "," + findings;
    Files.writeString(
        results,
        (Files.exists(results) ? "" : HEADER) + row + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private static long number(Pattern pattern, String line) {
    final Matcher matcher = pattern.matcher(line);
    if (!matcher.find()) {
      return 0;
    }
    for (int group = 1; group <= matcher.groupCount(); group++) {
      if (matcher.group(group) != null) {
        return Long.parseLong(matcher.group(group));
      }
    }
    return 0;
  }
}
