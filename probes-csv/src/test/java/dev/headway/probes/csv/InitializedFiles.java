package dev.headway.probes.csv;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The source files of Headway that a program runs through, and so the ones that its reader opens: a
 * JVM of its own logs every class that it initialises. That is every class of which a method runs,
 * and in addition interfaces with default methods that a class implements.
 */
final class InitializedFiles {

  private static final Pattern INITIALIZED = Pattern.compile("Initializing '(dev/headway/[^'$+]+)");

  private InitializedFiles() {}

  /**
   * Runs {@code main} and returns its files without its own, as in {@code dev/headway/api/Absent}.
   *
   * @param folder gets the log
   * @throws IllegalStateException if it fails
   */
  static SortedSet<String> of(Class<?> main, Path folder, String... arguments)
      throws IOException, InterruptedException {
    final Path log = folder.resolve("initialized.txt");
    final Path output = folder.resolve("output.txt");
    final List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xlog:class+init=info:file=" + log);
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> flag.startsWith("--add-") || flag.startsWith("--enable-"))
        .forEach(command::add);
    command.addAll(List.of("-cp", classPath(), main.getName()));
    command.addAll(List.of(arguments));
    final int exit =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start()
            .waitFor();
    if (exit != 0) {
      throw new IllegalStateException("exit code " + exit + ": " + Files.readString(output));
    }
    final SortedSet<String> files = new TreeSet<>();
    try (Stream<String> lines = Files.lines(log)) {
      lines
          .map(INITIALIZED::matcher)
          .filter(Matcher::find)
          .forEach(line -> files.add(line.group(1)));
    }
    files.remove(main.getName().replace('.', '/'));
    return files;
  }

  private static String classPath() {
    // surefire hands the class path over in a manifest and leaves the real one in this property
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }
}
