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
import dev.headway.toolbox.csv.CsvTable;
import dev.headway.toolbox.csv.CsvWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;
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

  private final CsvWriter<TimingRow> out;

  /**
   * Begins a file.
   *
   * @param runId the run's name
   * @throws IOException if it cannot be written
   */
  public TimingCsv(Path file, TestKind kind, String runId) throws IOException {
    out = table(kind, runId).create(file);
  }

  /**
   * Adds a request.
   *
   * @throws IOException if it cannot be written
   */
  public void write(TimingRow row) throws IOException {
    out.write(row);
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  private static CsvTable<TimingRow> table(TestKind kind, String runId) {
    final CsvTable<TimingRow> table = CsvTable.of();
    table
        .column("schema_version", row -> SCHEMA_VERSION)
        .column("run_id", row -> runId)
        .column("test_kind", row -> kind.label())
        .column("req_id", row -> row.request().id())
        .column("req_index", row -> row.request().index());
    if (kind == TestKind.ROUTER) {
      addDecision(table);
    }
    addRequest(table);
    for (TimingStage stage : TimingStage.values()) {
      if (kind == TestKind.ROUTER || stage.actor() != TimingActor.ROUTER) {
        table.whole(stage.column(), row -> at(row).ns(stage));
      }
    }
    addClassicInstants(table);
    addClassicDurations(table, kind);
    for (TimingSegment segment : TimingSegment.values()) {
      table.column(segment.column(), row -> row.timed().segments().get(segment));
    }
    return table
        .whole("gen_lag_ns", row -> at(row).durationNs(INTENDED, ARRIVED))
        .column("clock_offset_ns", row -> offsetNs(row.timed().serverClock()))
        .column("clock_err_ns", row -> row.timed().clockErrorNs())
        .column("timing_valid", row -> row.timed().isInOrder())
        .column("error", row -> row.outcome().error());
  }

  private static void addDecision(CsvTable<TimingRow> table) {
    router(table, "worker_id", RouterTiming::worker);
    router(table, "worker_url", RouterTiming::url);
    router(table, "policy", RouterTiming::policy);
    router(table, "policy_branch", RouterTiming::branch);
    router(table, "candidates", RouterTiming::candidates);
    router(table, "attempt", RouterTiming::attempt);
    router(table, "pick_cost_ns", RouterTiming::pickCostNs);
    router(table, "worker_load_at_pick", RouterTiming::load);
    router(table, "min_load", RouterTiming::minLoad);
    router(table, "max_load", RouterTiming::maxLoad);
    router(table, "prompt_units", RouterTiming::promptUnits);
    router(table, "matched_units", RouterTiming::matchedUnits);
  }

  private static void addRequest(CsvTable<TimingRow> table) {
    table.column("tenant", row -> row.request().tenant());
    table.column("priority", row -> row.request().priority());
    table.column("status", row -> row.outcome().status());
    table.column("finish_reason", row -> row.outcome().finishReason());
    table.column("warmup", row -> row.request().warmup());
    table.column("prompt_tokens", row -> count(row.outcome().promptTokens()));
    table.column("cached_tokens", row -> count(row.outcome().cachedTokens()));
    table.column("output_tokens", row -> count(row.outcome().outputTokens()));
    table.column("max_tokens", row -> row.request().maxTokens());
    server(table, "preemptions", ServerTiming::preemptions);
    server(table, "wait_reason_first", ServerTiming::waitReason);
  }

  private static void addClassicInstants(CsvTable<TimingRow> table) {
    table.seconds("arrival_time", row -> at(row).ns(ARRIVED));
    table.seconds("to_server_time", row -> at(row).ns(toServer(row)));
    table.seconds("server_created_time", row -> at(row).ns(SERVER_RECEIVED));
    table.seconds("tokenize_start_time", row -> at(row).ns(TOKENIZE_STARTED));
    table.seconds("tokenize_end_time", row -> at(row).ns(TOKENIZE_ENDED));
    table.seconds("queue_time_start", row -> at(row).ns(QUEUED));
    table.seconds("queue_time_end", row -> at(row).ns(SCHEDULED));
    table.seconds("server_start_time", row -> at(row).ns(SCHEDULED));
    table.seconds("prefill_start_time", row -> at(row).ns(LAUNCHED));
    table.seconds("server_first_token_time", row -> at(row).ns(FIRST_OUT));
    table.seconds("finish_time", row -> at(row).ns(CLIENT_DONE));
  }

  /** Each is from one instant to another; the pairs are those of the reference page. */
  private static void addClassicDurations(CsvTable<TimingRow> table, TestKind kind) {
    table.seconds("server_latency", row -> at(row).durationNs(toServer(row), CLIENT_DONE));
    between(table, "total_latency", ARRIVED, CLIENT_DONE);
    between(table, "ttft", SENT, CLIENT_FIRST);
    table.seconds("tpot", TimingCsv::timePerOutputToken);
    table.seconds(
        "queue_time_in_router",
        row -> kind == TestKind.ROUTER ? at(row).durationNs(ROUTER_RECEIVED, TO_SERVER) : 0);
    table.seconds("queue_time_in_server", row -> at(row).durationNs(toServer(row), SCHEDULED));
    between(table, "pure_queue_time", QUEUED, SCHEDULED);
    between(table, "tokenize_duration", TOKENIZE_STARTED, TOKENIZE_ENDED);
    between(table, "schedule_overhead", TOKENIZE_ENDED, QUEUED);
    between(table, "prefill_duration", LAUNCHED, PREFILL_DONE);
    between(table, "decode_duration", PREFILL_DONE, LAST_TOKEN);
    between(table, "node_latency", SERVER_RECEIVED, SERVER_FINISHED);
    table.seconds("queue_total", TimingCsv::queueTotalNs);
    table.seconds(
        "exec_total",
        row -> {
          final long aliveNs = at(row).durationNs(QUEUED, LAST_TOKEN);
          final long queuedNs = queueTotalNs(row);
          return aliveNs == ABSENT || queuedNs == ABSENT ? ABSENT : aliveNs - queuedNs;
        });
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

  private static void between(
      CsvTable<TimingRow> table, String name, TimingStage from, TimingStage to) {
    table.seconds(name, row -> at(row).durationNs(from, to));
  }

  private static void router(
      CsvTable<TimingRow> table, String name, Function<RouterTiming, @Nullable Object> cell) {
    table.column(
        name, row -> row.timed().router() == null ? null : cell.apply(row.timed().router()));
  }

  private static void server(
      CsvTable<TimingRow> table, String name, Function<ServerTiming, @Nullable Object> cell) {
    table.column(
        name, row -> row.timed().server() == null ? null : cell.apply(row.timed().server()));
  }

  private static @Nullable Integer count(int tokens) {
    return tokens < 0 ? null : tokens;
  }

  private static @Nullable Long offsetNs(ClockOffset.@Nullable Estimate clock) {
    return clock == null ? null : clock.offsetNs();
  }
}
