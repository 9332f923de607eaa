package dev.headway.cli.option;

import dev.headway.cli.CliRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All that a run left: what it printed and every file, without what differs between equal runs and
 * without what only repeats the command line.
 *
 * @param parts by name: the exit code, the streams, the files
 */
record Outcome(int exitCode, Map<String, String> parts) {

  /** Real times and free memory of this machine, and the settings that a file repeats. */
  private static final List<Pattern> MASKED =
      List.of(
          Pattern.compile("(?s)\"arguments\" : \\{.*?\\n  }"),
          Pattern.compile("(?s)\"config\" : \\{.*?}"),
          Pattern.compile("(?s)\n  this machine .*?heap at most\n"),
          Pattern.compile("of which [0-9.]+ .iB are free"));

  /** What it took is real time, and there is no option to leave it out. */
  private static final Pattern COST = Pattern.compile("(?s)\"machine\" : \\{.*?\\n  }");

  /** Real times, and the journal: it repeats the settings, and what it says is in the CSV files. */
  private static final Pattern LEFT_OUT = Pattern.compile(".*/(cost\\.csv|journal/.*)");

  private static final Set<String> STREAMS =
      Set.of("exit code", "standard output", "standard error", "requests");

  private static final Pattern LINE = Pattern.compile("(?m)^.+$");
  private static final Pattern WORD = Pattern.compile("\"[^\"]*\"");
  private static final Pattern PICTURE = Pattern.compile("<h[1-3][^>]*>[^<]*");

  Outcome {
    parts = Map.copyOf(parts);
  }

  static Outcome of(CliRun run, Path folder) {
    final Map<String, String> parts = new TreeMap<>();
    parts.put("exit code", String.valueOf(run.exitCode()));
    parts.put("standard output", masked(run.out(), folder));
    parts.put("standard error", masked(run.err(), folder));
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .filter(Files::isRegularFile)
          .filter(file -> !LEFT_OUT.matcher(file.toString()).matches())
          .forEach(file -> parts.put(folder.relativize(file).toString(), text(file, folder)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Outcome(run.exitCode(), parts);
  }

  private static String text(Path file, Path folder) {
    try {
      final String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
      return masked(
          file.endsWith("compare.json") ? COST.matcher(text).replaceAll("") : text, folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String masked(String text, Path folder) {
    String masked = text.replace(folder.toString(), "FOLDER");
    for (Pattern each : MASKED) {
      masked = each.matcher(masked).replaceAll("");
    }
    return masked;
  }

  /** Without what is real time: names, words and which rows there are, but no number. */
  Outcome withoutNumbers() {
    final Map<String, String> masked = new TreeMap<>();
    parts.forEach((name, text) -> masked.put(name, withoutNumbers(name, text)));
    return new Outcome(exitCode, masked);
  }

  private static String withoutNumbers(String name, String text) {
    if (name.contains("schedule")) {
      return text; // when what is sent is drawn, not measured
    }
    final String masked =
        text.replaceAll("bench-[0-9a-f]+", "bench")
            .replaceAll("[-+]?[0-9][0-9.,:]*(E-?[0-9]+)?", "#");
    final Pattern unit = name.endsWith(".html") ? PICTURE : name.endsWith(".json") ? WORD : LINE;
    return unit.matcher(masked)
        .results()
        .filter(match -> !match.group().contains("could not keep to its schedule"))
        .map(match -> match.group().replaceAll("[ -]+", " ").replaceAll("# [mµn]?s", "# s"))
        .distinct()
        .sorted()
        .collect(Collectors.joining("\n"));
  }

  /** The files that were left. */
  Set<String> files() {
    return parts.keySet().stream()
        .filter(name -> !STREAMS.contains(name))
        .collect(Collectors.toSet());
  }

  /** With the requests that a server got. */
  Outcome with(String requests) {
    final Map<String, String> all = new TreeMap<>(parts);
    all.put("requests", requests.replaceAll("bench-[0-9a-f]+", "bench"));
    return new Outcome(exitCode, all);
  }

  /** The beginnings of the first part that differs, of both. */
  String firstDifference(Outcome other) {
    final String name = differences(other).stream().findFirst().orElse("");
    final String own = String.valueOf(parts.get(name));
    final String others = String.valueOf(other.parts.get(name));
    int at = 0;
    while (at < Math.min(own.length(), others.length()) && own.charAt(at) == others.charAt(at)) {
      at++;
    }
    final int from = Math.max(0, at - 100);
    return name + ": ..." + part(own, from) + " | ..." + part(others, from);
  }

  private static String part(String text, int from) {
    return text.substring(Math.min(from, text.length()), Math.min(text.length(), from + 200));
  }

  /** The parts in which another differs. */
  List<String> differences(Outcome other) {
    final TreeSet<String> names = new TreeSet<>(parts.keySet());
    names.addAll(other.parts.keySet());
    final List<String> differences = new ArrayList<>();
    for (String name : names) {
      if (!String.valueOf(parts.get(name)).equals(String.valueOf(other.parts.get(name)))) {
        differences.add(name);
      }
    }
    return differences;
  }
}
