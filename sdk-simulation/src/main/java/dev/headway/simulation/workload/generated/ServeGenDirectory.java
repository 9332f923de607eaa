package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.TraceFormatException;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.arrival.Gaps;
import dev.headway.simulation.workload.length.LengthDistribution;
import dev.headway.toolbox.csv.WholeNumber;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The client data of ServeGen: for each chunk a CSV without header, {@code start (s), requests per
 * second, coefficient of variation, Gamma or Weibull}, and a JSON of token histograms by start, in
 * the text of Python dictionaries.
 *
 * <p>A window lasts until the next one of the file, 600 s where there is one only. Coefficients out
 * of range count as the nearest that there is. Lengths are those of the latest histogram that is
 * not empty; the first where there is none yet. Times are relative to the first active window.
 */
final class ServeGenDirectory {
  private static final double USUAL_WINDOW_SECONDS = 600;
  private static final long SEED = 1;

  private ServeGenDirectory() {}

  /** A window of a client. */
  record Window(double startSeconds, double rate, Gaps gaps) {}

  /** Histograms of a client from a time on. */
  record Lengths(LengthDistribution input, LengthDistribution output) {}

  static Workload open(Path directory) throws IOException {
    final List<ServeGenClient> clients = new ArrayList<>();
    for (Path trace : traces(directory)) {
      final String file = String.valueOf(trace.getFileName());
      final String id = file.substring("chunk-".length(), file.length() - "-trace.csv".length());
      final List<Window> windows = windows(trace);
      if (windows.stream().anyMatch(window -> window.rate > 0)) {
        final Path dataset = directory.resolve("chunk-" + id + "-dataset.json");
        clients.add(
            new ServeGenClient("client-" + id, SEED, windows, spacing(windows), lengths(dataset)));
      }
    }
    if (clients.isEmpty()) {
      throw new TraceFormatException(
          "a directory must be a journal, or hold chunk-*-trace.csv of ServeGen with a rate > 0:"
              + " directory="
              + directory,
          null);
    }
    final double start = clients.stream().mapToDouble(ServeGenClient::startSeconds).min().orElse(0);
    clients.forEach(client -> client.startAt(start));
    return new MergedLoad(directory.toString(), clients, Long.MAX_VALUE);
  }

  private static List<Path> traces(Path directory) throws IOException {
    final List<Path> traces = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "chunk-*-trace.csv")) {
      files.forEach(traces::add);
    }
    traces.sort(null);
    return traces;
  }

  private static List<Window> windows(Path trace) throws IOException {
    final NavigableMap<Double, Window> windows = new TreeMap<>();
    final List<String> lines = Files.readAllLines(trace);
    for (int i = 0; i < lines.size(); i++) {
      final String[] cells = withoutMark(lines.get(i)).split(",", -1);
      final boolean header = i == 0 && !cells[0].isBlank() && number(cells[0]) == null;
      if (!header && !lines.get(i).isBlank()) {
        final Window window = window(trace, i + 1, cells);
        windows.put(window.startSeconds, window);
      }
    }
    return List.copyOf(windows.values());
  }

  /** A byte order mark would make the first row a header. */
  private static String withoutMark(String line) {
    return line.startsWith("\uFEFF") ? line.substring(1) : line;
  }

  private static Window window(Path trace, int line, String[] cells) {
    final Double start = number(cells[0]);
    final Double rate = cells.length > 1 ? number(cells[1]) : null;
    final Double variation = cells.length > 2 ? number(cells[2]) : null;
    if (start == null || rate == null || variation == null || start < 0 || rate < 0) {
      throw new TraceFormatException(
          "trace row is not readable: file=%s, line=%d; must be start, rate >= 0, cv, pattern"
              .formatted(trace, line),
          null);
    }
    final String pattern = cells.length > 3 ? cells[3].strip().toLowerCase(Locale.ROOT) : "";
    return new Window(start, rate, gaps(pattern, variation));
  }

  private static Gaps gaps(String pattern, double variation) {
    if (!(variation > 0)) {
      return Gaps.exponential();
    }
    return switch (pattern) {
      case "gamma" -> Gaps.gamma(Math.clamp(variation, 0.1, 10));
      case "weibull" -> Gaps.weibull(Math.clamp(variation, 0.01, 10.4));
      default -> Gaps.exponential();
    };
  }

  private static double spacing(List<Window> windows) {
    double least = Double.POSITIVE_INFINITY;
    for (int i = 1; i < windows.size(); i++) {
      least = Math.min(least, windows.get(i).startSeconds - windows.get(i - 1).startSeconds);
    }
    return least == Double.POSITIVE_INFINITY ? USUAL_WINDOW_SECONDS : least;
  }

  private static @Nullable Double number(String cell) {
    try {
      final double value = Double.parseDouble(cell.strip());
      return Double.isFinite(value) ? value : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static NavigableMap<Double, Lengths> lengths(Path dataset) throws IOException {
    final JsonNode root;
    try {
      root = JsonMapper.shared().readTree(Files.readString(dataset));
    } catch (JacksonException e) {
      throw unreadable(dataset, "top", "must be JSON");
    }
    final NavigableMap<Double, Lengths> byStart = new TreeMap<>();
    for (Map.Entry<String, JsonNode> window : root.properties()) {
      final Double start = number(window.getKey());
      if (start == null) {
        throw unreadable(dataset, window.getKey(), "must be the start of a window in seconds");
      }
      final LengthDistribution input = histogram(dataset, window, "input_tokens");
      final LengthDistribution output = histogram(dataset, window, "output_tokens");
      if (input != null && output != null) {
        byStart.put(start, new Lengths(input, output));
      }
    }
    if (byStart.isEmpty()) {
      throw unreadable(dataset, "top", "must have a window with input_tokens and output_tokens");
    }
    return byStart;
  }

  /** The distribution of a text such as {@code {100: 0.5, 200: 3e-1}}; null if it is empty. */
  private static @Nullable LengthDistribution histogram(
      Path dataset, Map.Entry<String, JsonNode> window, String key) {
    final String text = window.getValue().path(key).asString("").strip();
    final String inner = text.replaceAll("^\\{|\\}$", "").strip();
    if (inner.isEmpty()) {
      return null;
    }
    final Map<Integer, Double> weights = new HashMap<>();
    for (String pair : inner.split(",", -1)) {
      final String[] sides = pair.split(":", -1);
      final Long tokens = sides.length == 2 ? WholeNumber.clamped(sides[0]) : null;
      final Double weight = sides.length == 2 ? number(sides[1]) : null;
      if (!pair.isBlank()) {
        if (tokens == null || weight == null || weight < 0 || tokens >= 1 << 24) {
          throw unreadable(dataset, window.getKey() + "." + key, "must be {tokens: weight, ...}");
        }
        weights.merge(Math.max(1, tokens.intValue()), weight, Double::sum);
      }
    }
    final boolean empty = weights.values().stream().allMatch(weight -> weight == 0);
    return empty ? null : LengthDistribution.empirical(weights);
  }

  private static TraceFormatException unreadable(Path file, String at, String rule) {
    return new TraceFormatException(
        "data set is not readable: file=%s, at=%s; %s".formatted(file, at, rule), null);
  }
}
