package dev.headway.simulation.calibrate;

import dev.headway.toolbox.csv.CsvReader;
import dev.headway.toolbox.csv.WholeNumber;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The requests of a run with their latencies, in the order of arrival. Those that failed, or got no
 * token, are counted and left out.
 *
 * <p>Reads, by the columns that are there, plain or gzip:
 *
 * <ul>
 *   <li>{@code request_id, arrival_s, input_tokens, output_tokens, ttft_s, e2e_s}, optionally
 *       {@code error}, {@code prefix_group}, {@code session}, {@code sent_id}: the {@code
 *       requests.csv} of {@code headway simulate}, and what a load generator measured;
 *   <li>{@code per_request.csv} of {@code headway convert};
 *   <li>BLIS's TraceV2: {@code arrival_time_us, first_chunk_time_us, last_chunk_time_us, status};
 *   <li>JSON lines of {@code request_id, input_toks, output_toks, arrival_time, queued_ts,
 *       first_token_ts, last_token_ts}, as LLMServingSim records runs of vLLM.
 * </ul>
 *
 * <p>A folder is read as its {@code requests.csv}, {@code csv/per_request.csv}, {@code
 * per_request.csv} or {@code requests.jsonl}, whichever is there first.
 */
public final class TimedRequests {

  /** Most requests that are read. */
  public static final int MOST_REQUESTS = 2_000_000;

  private static final BigDecimal NS_PER_SECOND = BigDecimal.valueOf(1_000_000_000);
  private static final long NS_PER_MICRO = 1_000;
  private static final String[] NAMES = {
    "requests.csv", "csv/per_request.csv", "per_request.csv", "requests.jsonl"
  };
  private static final JsonMapper JSON = JsonMapper.shared();

  private final List<TimedRequest> requests = new ArrayList<>();
  private final Map<Omission, Integer> omitted = new EnumMap<>(Omission.class);
  private final @Nullable Set<String> ids;
  private long firstArrivalNs;

  /** Why a row is left out. */
  public enum Omission {
    /** Its request failed, or has no first token. */
    FAILED("failed"),
    /** Its request got no output token. */
    NO_TOKEN("no output token"),
    /** Something that must be a number is none, or not a finite one. */
    NO_NUMBER("not a number"),
    /** It ends before its first token, or that before its arrival, or a count is below 0. */
    IMPOSSIBLE("impossible times or counts"),
    /** A row before it has the same id. */
    REPEATED("repeated request_id");

    private final String label;

    Omission(String label) {
      this.label = label;
    }

    /** In words. */
    public String label() {
      return label;
    }
  }

  /**
   * Starts without requests.
   *
   * @param ids of those that were read, where wrong rows are left out; null where they are errors
   */
  private TimedRequests(@Nullable Set<String> ids) {
    this.ids = ids;
  }

  /**
   * Reads a run of which every row counts: one that is wrong is an error.
   *
   * @param path file or folder
   * @throws IOException if it cannot be read, is of no known form, or a row is wrong; names the
   *     line
   */
  public static TimedRequests read(Path path) throws IOException {
    return read(path, new TimedRequests(null));
  }

  /**
   * Reads a run to learn from: wrong and repeated rows are left out and counted.
   *
   * @param path file or folder
   * @throws IOException if it cannot be read, is of no known form, or no row is left
   */
  public static TimedRequests readUsable(Path path) throws IOException {
    return read(path, new TimedRequests(new HashSet<>()));
  }

  /**
   * Whether a file has requests with their latencies, by its columns or the fields of its first
   * line.
   *
   * @throws IOException if it cannot be read
   */
  public static boolean isIn(Path file) throws IOException {
    if (file.toString().replace(".gz", "").endsWith(".jsonl") && Files.isRegularFile(file)) {
      return isLines(file);
    }
    if (!file.toString().replace(".gz", "").endsWith(".csv") || !Files.isRegularFile(file)) {
      return false;
    }
    final List<String> columns = CsvReader.columns(file);
    return Arrays.stream(Form.values()).anyMatch(form -> columns.contains(form.column));
  }

  private static boolean isLines(Path file) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(CsvReader.open(file), StandardCharsets.UTF_8))) {
      final String first = lines.readLine();
      final JsonNode row = first == null ? JSON.nullNode() : JSON.readTree(first);
      return row.has("input_toks") && row.has("arrival_time");
    } catch (JacksonException e) {
      return false;
    }
  }

  private static TimedRequests read(Path path, TimedRequests result) throws IOException {
    final Path file = fileOf(path);
    if (file.toString().replace(".gz", "").endsWith(".jsonl")) {
      result.readJsonLines(file);
    } else {
      result.readCsv(file);
    }
    if (result.requests.isEmpty()) {
      throw new IOException(
          file
              + " must have requests that got tokens: failed="
              + result.failed()
              + result.others());
    }
    result.requests.sort(
        Comparator.comparingLong(TimedRequest::arrivalNs).thenComparing(TimedRequest::id));
    result.firstArrivalNs = result.requests.getFirst().arrivalNs();
    result.requests.replaceAll(request -> request.since(result.firstArrivalNs));
    return result;
  }

  /** The requests in the order of arrival; the first arrives at 0. */
  public List<TimedRequest> requests() {
    return List.copyOf(requests);
  }

  /** The first arrival on the clock of what was read. */
  public long firstArrivalNs() {
    return firstArrivalNs;
  }

  /** Requests that failed or got no token. */
  public int failed() {
    return omitted.getOrDefault(Omission.FAILED, 0) + omitted.getOrDefault(Omission.NO_TOKEN, 0);
  }

  /** How many rows were left out, by reason; reasons without rows are not in it. */
  public Map<Omission, Integer> omitted() {
    return Collections.unmodifiableMap(omitted);
  }

  private String others() {
    final StringBuilder text = new StringBuilder();
    omitted.forEach(
        (reason, rows) -> {
          if (reason != Omission.FAILED && reason != Omission.NO_TOKEN) {
            text.append(", ").append(reason.label).append('=').append(rows);
          }
        });
    return text.toString();
  }

  private static Path fileOf(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return path;
    }
    for (String name : NAMES) {
      if (Files.exists(path.resolve(name))) {
        return path.resolve(name);
      }
    }
    throw new IOException(
        path + " must be a file, or have one of " + String.join(", ", NAMES) + " in it");
  }

  private void readCsv(Path file) throws IOException {
    CsvReader.readBy(
        file,
        columns -> {
          final Form form = Form.of(file, columns);
          return row -> addOrOmit(() -> form.request(row));
        });
  }

  /** What a row says; null if its request failed. */
  @FunctionalInterface
  private interface Row {
    @Nullable TimedRequest request();
  }

  private void addOrOmit(Row row) {
    final TimedRequest request;
    try {
      request = row.request();
    } catch (NumberFormatException | ArithmeticException e) {
      if (ids == null) {
        throw e;
      }
      omit(Omission.NO_NUMBER);
      return;
    }
    add(request);
  }

  private void omit(Omission reason) {
    omitted.merge(reason, 1, Integer::sum);
  }

  private void add(@Nullable TimedRequest request) {
    if (request == null || request.outputTokens() < 1) {
      omit(request == null ? Omission.FAILED : Omission.NO_TOKEN);
      return;
    }
    final boolean isPossible = request.ttftNs() >= 0 && request.endToEndNs() >= request.ttftNs();
    if (ids != null && !(isPossible && request.inputTokens() >= 0)) {
      omit(Omission.IMPOSSIBLE);
      return;
    }
    if (ids != null && !ids.add(request.id())) {
      omit(Omission.REPEATED);
      return;
    }
    if (!isPossible) {
      throw new IllegalArgumentException(
          "times must be 0 <= first token <= last token: request=" + request);
    }
    if (requests.size() == MOST_REQUESTS) {
      throw new IllegalArgumentException("at most " + MOST_REQUESTS + " requests are compared");
    }
    requests.add(request);
  }

  /** A form of CSV. */
  private enum Form {
    MEASURED("ttft_s") {
      @Override
      @Nullable TimedRequest request(CSVRecord row) {
        if (isGiven(row, "error") || row.get("ttft_s").isEmpty()) {
          return null;
        }
        return new TimedRequest(
            row.get("request_id"),
            seconds(row, "arrival_s"),
            WholeNumber.parseInt(row.get("input_tokens")),
            WholeNumber.parseInt(row.get("output_tokens")),
            seconds(row, "ttft_s"),
            seconds(row, "e2e_s"),
            isGiven(row, "prefix_group") ? row.get("prefix_group") : null,
            isGiven(row, "session") ? row.get("session") : null,
            isGiven(row, "sent_id") ? row.get("sent_id") : null);
      }
    },
    PER_REQUEST("first_token_time") {
      @Override
      @Nullable TimedRequest request(CSVRecord row) {
        if (row.get("ttft").isEmpty() || !row.get("status").equals("finished")) {
          return null;
        }
        return new TimedRequest(
            row.get("request_id"),
            WholeNumber.parse(row.get("arrival_time")),
            WholeNumber.parseInt(row.get("input_tokens")),
            WholeNumber.parseInt(row.get("output_tokens")),
            WholeNumber.parse(row.get("ttft")),
            WholeNumber.parse(row.get("e2e_latency")));
      }
    },
    TRACE_V2("first_chunk_time_us") {
      @Override
      @Nullable TimedRequest request(CSVRecord row) {
        if (!row.get("status").equals("ok")) {
          return null;
        }
        final long arrival = WholeNumber.parse(row.get("arrival_time_us"));
        return new TimedRequest(
            row.get("request_id"),
            arrival * NS_PER_MICRO,
            WholeNumber.parseInt(row.get("input_tokens")),
            WholeNumber.parseInt(row.get("output_tokens")),
            (WholeNumber.parse(row.get("first_chunk_time_us")) - arrival) * NS_PER_MICRO,
            (WholeNumber.parse(row.get("last_chunk_time_us")) - arrival) * NS_PER_MICRO);
      }
    };

    private final String column;

    Form(String column) {
      this.column = column;
    }

    abstract @Nullable TimedRequest request(CSVRecord row);

    static Form of(Path file, List<String> columns) throws IOException {
      for (Form form : values()) {
        if (columns.contains(form.column)) {
          return form;
        }
      }
      throw new IOException(
          file
              + " must have a column ttft_s, first_token_time or first_chunk_time_us: columns="
              + columns);
    }

    private static boolean isGiven(CSVRecord row, String column) {
      return row.isMapped(column) && !row.get(column).isEmpty();
    }

    private static long seconds(CSVRecord row, String column) {
      return nanos(new BigDecimal(row.get(column)));
    }
  }

  private static long nanos(BigDecimal seconds) {
    return seconds.multiply(NS_PER_SECOND).setScale(0, RoundingMode.HALF_EVEN).longValueExact();
  }

  private void readJsonLines(Path file) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(CsvReader.open(file), StandardCharsets.UTF_8))) {
      int number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        if (!line.isBlank()) {
          try {
            final JsonNode row = JSON.readTree(line);
            addOrOmit(() -> requestOf(row));
          } catch (JacksonException | IllegalArgumentException | ArithmeticException e) {
            throw new IOException(file + ", line " + number + ": " + e.getMessage(), e);
          }
        }
      }
    }
  }

  /** The arrival is on another clock than the rest, whose first instant is that in the queue. */
  private static @Nullable TimedRequest requestOf(JsonNode row) {
    if (!row.hasNonNull("first_token_ts")) {
      return null;
    }
    final BigDecimal queued = row.path("queued_ts").decimalValue();
    return new TimedRequest(
        row.path("request_id").asString(""),
        nanos(row.path("arrival_time").decimalValue()),
        WholeNumber.parseInt(row.path("input_toks").asString("")),
        WholeNumber.parseInt(row.path("output_toks").asString("")),
        nanos(row.path("first_token_ts").decimalValue().subtract(queued)),
        nanos(row.path("last_token_ts").decimalValue().subtract(queued)));
  }
}
