package dev.headway.routing.timing.table;

import static dev.headway.api.Absent.ABSENT;
import static dev.headway.routing.timing.TimingStage.ARRIVED;
import static dev.headway.routing.timing.TimingStage.CLIENT_DONE;
import static dev.headway.routing.timing.TimingStage.CLIENT_FIRST;
import static dev.headway.routing.timing.TimingStage.FIRST_OUT;
import static dev.headway.routing.timing.TimingStage.INTENDED;
import static dev.headway.routing.timing.TimingStage.LAST_TOKEN;
import static dev.headway.routing.timing.TimingStage.LAUNCHED;
import static dev.headway.routing.timing.TimingStage.PREFILL_DONE;
import static dev.headway.routing.timing.TimingStage.QUEUED;
import static dev.headway.routing.timing.TimingStage.ROUTER_RECEIVED;
import static dev.headway.routing.timing.TimingStage.SCHEDULED;
import static dev.headway.routing.timing.TimingStage.SENT;
import static dev.headway.routing.timing.TimingStage.SERVER_FINISHED;
import static dev.headway.routing.timing.TimingStage.SERVER_RECEIVED;
import static dev.headway.routing.timing.TimingStage.TOKENIZE_ENDED;
import static dev.headway.routing.timing.TimingStage.TOKENIZE_STARTED;
import static dev.headway.routing.timing.TimingStage.TO_SERVER;

import dev.headway.routing.timing.ClockOffset;
import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.RouterTiming;
import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimingActor;
import dev.headway.routing.timing.TimingSegment;
import dev.headway.routing.timing.TimingStage;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;
import org.jspecify.annotations.Nullable;

/**
 * Writes requests with all their instants, a row each: {@code node_requests.csv} of a run against a
 * server, {@code router_requests.csv} of one through a router.
 *
 * <p>Columns that end in {@code _ns} are whole nanoseconds, instants counted from the start of the
 * run on the client's clock. The others with {@code time}, {@code latency} or {@code duration} in
 * their name are the same in seconds with nine digits, under the names that analysis scripts know.
 * A cell is empty where something is not known. One thread.
 */
public final class TimingCsv implements AutoCloseable {

  /** The file of a run against a server. */
  public static final String NODE_FILE = "node_requests.csv";

  /** The file of a run through a router. */
  public static final String ROUTER_FILE = "router_requests.csv";

  private static final int SCHEMA_VERSION = 1;
  private static final int NS_DIGITS = 9;

  /** What was measured. */
  public enum TestKind {
    /** A server. */
    NODE,
    /** Servers behind a router. */
    ROUTER;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private record Column(String name, Function<TimingRow, @Nullable Object> cell) {}

  private final List<Column> beforeSegments;
  private final List<Column> behindSegments;
  private final CSVPrinter out;

  /**
   * Begins a file.
   *
   * @param runId the run's name
   * @throws IOException if it cannot be written
   */
  public TimingCsv(Path file, TestKind kind, String runId) throws IOException {
    this.beforeSegments = beforeSegments(kind, runId);
    this.behindSegments = behindSegments();
    final CSVFormat format =
        CSVFormat.RFC4180.builder().setRecordSeparator('\n').setHeader(header()).get();
    this.out = new CSVPrinter(Files.newBufferedWriter(file, StandardCharsets.UTF_8), format);
  }

  private String[] header() {
    final List<String> names = new ArrayList<>();
    beforeSegments.forEach(column -> names.add(column.name));
    for (TimingSegment segment : TimingSegment.values()) {
      names.add(segment.column());
    }
    behindSegments.forEach(column -> names.add(column.name));
    return names.toArray(String[]::new);
  }

  /**
   * Adds a request.
   *
   * @throws IOException if it cannot be written
   */
  public void write(TimingRow row) throws IOException {
    final List<@Nullable Object> cells = new ArrayList<>();
    for (Column column : beforeSegments) {
      cells.add(column.cell.apply(row));
    }
    final Map<TimingSegment, Long> segments = row.timed().segments();
    for (TimingSegment segment : TimingSegment.values()) {
      cells.add(segments.get(segment));
    }
    for (Column column : behindSegments) {
      cells.add(column.cell.apply(row));
    }
    out.printRecord(cells);
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  private static List<Column> beforeSegments(TestKind kind, String runId) {
    final List<Column> columns = new ArrayList<>();
    columns.add(new Column("schema_version", row -> SCHEMA_VERSION));
    columns.add(new Column("run_id", row -> runId));
    columns.add(new Column("test_kind", row -> kind.label()));
    columns.add(new Column("req_id", row -> row.request().id()));
    columns.add(new Column("req_index", row -> row.request().index()));
    if (kind == TestKind.ROUTER) {
      addDecision(columns);
    }
    addRequest(columns);
    for (TimingStage stage : TimingStage.values()) {
      if (kind == TestKind.ROUTER || stage.actor() != TimingActor.ROUTER) {
        columns.add(new Column(stage.column(), row -> nanos(row.timed().at().ns(stage))));
      }
    }
    addClassicInstants(columns);
    addClassicDurations(columns, kind);
    return columns;
  }

  private static List<Column> behindSegments() {
    final List<Column> columns = new ArrayList<>();
    columns.add(new Column("gen_lag_ns", row -> nanos(at(row).durationNs(INTENDED, ARRIVED))));
    columns.add(new Column("clock_offset_ns", row -> offsetNs(row.timed().serverClock())));
    columns.add(new Column("clock_err_ns", row -> row.timed().clockErrorNs()));
    columns.add(new Column("timing_valid", row -> row.timed().isInOrder()));
    columns.add(new Column("error", row -> row.outcome().error()));
    return columns;
  }

  private static void addDecision(List<Column> columns) {
    columns.add(router("worker_id", RouterTiming::worker));
    columns.add(router("worker_url", RouterTiming::url));
    columns.add(router("policy", RouterTiming::policy));
    columns.add(router("policy_branch", RouterTiming::branch));
    columns.add(router("candidates", RouterTiming::candidates));
    columns.add(router("attempt", RouterTiming::attempt));
    columns.add(router("pick_cost_ns", RouterTiming::pickCostNs));
    columns.add(router("worker_load_at_pick", RouterTiming::load));
    columns.add(router("min_load", RouterTiming::minLoad));
    columns.add(router("max_load", RouterTiming::maxLoad));
    columns.add(router("prompt_units", RouterTiming::promptUnits));
    columns.add(router("matched_units", RouterTiming::matchedUnits));
  }

  private static void addRequest(List<Column> columns) {
    columns.add(new Column("tenant", row -> row.request().tenant()));
    columns.add(new Column("priority", row -> row.request().priority()));
    columns.add(new Column("status", row -> row.outcome().status()));
    columns.add(new Column("finish_reason", row -> row.outcome().finishReason()));
    columns.add(new Column("warmup", row -> row.request().warmup()));
    columns.add(new Column("prompt_tokens", row -> count(row.outcome().promptTokens())));
    columns.add(new Column("cached_tokens", row -> count(row.outcome().cachedTokens())));
    columns.add(new Column("output_tokens", row -> count(row.outcome().outputTokens())));
    columns.add(new Column("max_tokens", row -> row.request().maxTokens()));
    columns.add(server("preemptions", ServerTiming::preemptions));
    columns.add(server("wait_reason_first", ServerTiming::waitReason));
  }

  private static void addClassicInstants(List<Column> columns) {
    columns.add(seconds("arrival_time", row -> at(row).ns(ARRIVED)));
    columns.add(seconds("to_server_time", row -> at(row).ns(toServer(row))));
    columns.add(seconds("server_created_time", row -> at(row).ns(SERVER_RECEIVED)));
    columns.add(seconds("tokenize_start_time", row -> at(row).ns(TOKENIZE_STARTED)));
    columns.add(seconds("tokenize_end_time", row -> at(row).ns(TOKENIZE_ENDED)));
    columns.add(seconds("queue_time_start", row -> at(row).ns(QUEUED)));
    columns.add(seconds("queue_time_end", row -> at(row).ns(SCHEDULED)));
    columns.add(seconds("server_start_time", row -> at(row).ns(SCHEDULED)));
    columns.add(seconds("prefill_start_time", row -> at(row).ns(LAUNCHED)));
    columns.add(seconds("server_first_token_time", row -> at(row).ns(FIRST_OUT)));
    columns.add(seconds("finish_time", row -> at(row).ns(CLIENT_DONE)));
  }

  /** Each is from one instant to another; the pairs are those of the reference page. */
  private static void addClassicDurations(List<Column> columns, TestKind kind) {
    columns.add(seconds("server_latency", row -> at(row).durationNs(toServer(row), CLIENT_DONE)));
    columns.add(between("total_latency", ARRIVED, CLIENT_DONE));
    columns.add(between("ttft", SENT, CLIENT_FIRST));
    columns.add(seconds("tpot", TimingCsv::timePerOutputToken));
    columns.add(
        kind == TestKind.ROUTER
            ? between("queue_time_in_router", ROUTER_RECEIVED, TO_SERVER)
            : seconds("queue_time_in_router", row -> 0L));
    columns.add(
        seconds("queue_time_in_server", row -> at(row).durationNs(toServer(row), SCHEDULED)));
    columns.add(between("pure_queue_time", QUEUED, SCHEDULED));
    columns.add(between("tokenize_duration", TOKENIZE_STARTED, TOKENIZE_ENDED));
    columns.add(between("schedule_overhead", TOKENIZE_ENDED, QUEUED));
    columns.add(between("prefill_duration", LAUNCHED, PREFILL_DONE));
    columns.add(between("decode_duration", PREFILL_DONE, LAST_TOKEN));
    columns.add(between("node_latency", SERVER_RECEIVED, SERVER_FINISHED));
    columns.add(seconds("queue_total", TimingCsv::queueTotalNs));
    columns.add(
        seconds(
            "exec_total",
            row -> {
              final long aliveNs = at(row).durationNs(QUEUED, LAST_TOKEN);
              final long queuedNs = queueTotalNs(row);
              return aliveNs == ABSENT || queuedNs == ABSENT ? ABSENT : aliveNs - queuedNs;
            }));
  }

  /** In a run without a router the request goes to the server when the client sends it. */
  private static TimingStage toServer(TimingRow row) {
    return row.timed().router() == null ? SENT : TO_SERVER;
  }

  /** From the first token to the last, over the tokens behind the first. */
  private static long timePerOutputToken(TimingRow row) {
    final long decodeNs = at(row).durationNs(CLIENT_FIRST, TimingStage.CLIENT_LAST_TOKEN);
    final int tokens = row.outcome().outputTokens();
    return decodeNs == ABSENT || tokens < 2 ? ABSENT : decodeNs / (tokens - 1);
  }

  private static long queueTotalNs(TimingRow row) {
    final ServerTiming server = row.timed().server();
    return server == null ? ABSENT : server.queueTotalNs();
  }

  private static RequestTiming at(TimingRow row) {
    return row.timed().at();
  }

  private static Column between(String name, TimingStage from, TimingStage to) {
    return seconds(name, row -> at(row).durationNs(from, to));
  }

  private static Column seconds(String name, Function<TimingRow, Long> nanos) {
    return new Column(
        name,
        row -> {
          final long ns = nanos.apply(row);
          return ns == ABSENT ? null : BigDecimal.valueOf(ns, NS_DIGITS).toPlainString();
        });
  }

  private static Column router(String name, Function<RouterTiming, @Nullable Object> cell) {
    return new Column(
        name, row -> row.timed().router() == null ? null : cell.apply(row.timed().router()));
  }

  private static Column server(String name, Function<ServerTiming, @Nullable Object> cell) {
    return new Column(
        name, row -> row.timed().server() == null ? null : cell.apply(row.timed().server()));
  }

  private static @Nullable Long nanos(long ns) {
    return ns == ABSENT ? null : ns;
  }

  private static @Nullable Integer count(int tokens) {
    return tokens < 0 ? null : tokens;
  }

  private static @Nullable Long offsetNs(ClockOffset.@Nullable Estimate clock) {
    return clock == null ? null : clock.offsetNs();
  }
}
