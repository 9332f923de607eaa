package dev.headway.probes.csv.check;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.probes.csv.check.Rule.Finding;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The rules that a row of {@code node_requests.csv} or {@code router_requests.csv} is held to: a
 * request with its instants from the client to the last token.
 */
final class ChainRowRules {

  /** Only these files have it. */
  static final String MARK = "server_recv_ns";

  /** Instants that come one behind the other, whichever clock they were read on. */
  static final List<String> CHAIN =
      List.of(
          "intended_ns",
          "arrival_ns",
          "send_ns",
          "router_recv_ns",
          "router_pick_ns",
          "to_server_ns",
          "server_recv_ns",
          "tok_begin_ns",
          "tok_end_ns",
          "dispatch_ns",
          "enqueue_ns",
          "first_sched_ns",
          "launch_ns",
          "chunk_done_ns",
          "prefill_done_ns",
          "first_out_ns",
          "first_sent_ns",
          "client_first_ns",
          "client_last_token_ns",
          "client_done_ns");

  /** What the time from arrival to the end is made of. */
  static final List<String> PARTS =
      List.of(
          "client_queue_ns",
          "network_to_router_ns",
          "routing_ns",
          "forwarding_ns",
          "network_to_server_ns",
          "parse_ns",
          "tokenize_ns",
          "handoff_ns",
          "queue_ns",
          "prefill_ns",
          "detokenize_ns",
          "network_to_client_ns",
          "decode_ns",
          "finish_ns");

  private static final List<String> OF_THE_SERVER =
      List.of(
          "server_recv_ns",
          "tok_begin_ns",
          "tok_end_ns",
          "enqueue_ns",
          "first_sched_ns",
          "launch_ns",
          "prefill_done_ns",
          "first_out_ns",
          "last_token_ns",
          "server_finish_ns");

  private static final long LONGEST_RUN_NS = TimeUnit.DAYS.toNanos(3_650);
  private static final long LOW_LOAD_QUEUE_NS = 100_000_000;
  private static final long ROUTER_NS = 100_000_000;
  private static final int NS_DIGITS = 9;

  private ChainRowRules() {}

  static List<Rule> all() {
    final List<Rule> rules = new ArrayList<>();
    rules.add(oneRowEach());
    rules.add(
        new Rule(
            "filled",
            "an answered request has the server's instants, or none of them",
            OF_THE_SERVER,
            row ->
                isAnswered(row) && OF_THE_SERVER.stream().anyMatch(row::has)
                    ? Finding.of(OF_THE_SERVER.stream().allMatch(row::has))
                    : Finding.NONE));
    rules.add(
        new Rule(
            "order",
            "instants follow each other, up to the error of the clocks: "
                + String.join(" <= ", CHAIN),
            List.of("arrival_ns", "clock_err_ns"),
            ChainRowRules::inOrder));
    rules.add(
        new Rule(
            "one clock",
            "instants are counted from the start of the run: within ten years of it",
            List.of("arrival_ns"),
            row ->
                Finding.of(
                    CHAIN.stream()
                        .mapToLong(row::number)
                        .allMatch(ns -> ns == ABSENT || Math.abs(ns) < LONGEST_RUN_NS))));
    rules.add(
        new Rule(
            "no negative part",
            "a part is absent or >= 0, up to the error of the clocks",
            List.of("clock_err_ns"),
            row ->
                Finding.of(
                    PARTS.stream()
                        .mapToLong(row::number)
                        .allMatch(ns -> ns == ABSENT || ns >= -row.number("clock_err_ns")))));
    rules.add(
        new Rule(
            "parts add up",
            "the parts sum up to client_done_ns - arrival_ns exactly",
            List.of("arrival_ns", "client_done_ns"),
            ChainRowRules::addUp));
    rules.add(seconds("total_latency", "arrival_ns", "client_done_ns"));
    rules.add(seconds("pure_queue_time", "enqueue_ns", "first_sched_ns"));
    rules.add(seconds("tokenize_duration", "tok_begin_ns", "tok_end_ns"));
    rules.add(seconds("schedule_overhead", "tok_end_ns", "enqueue_ns"));
    rules.add(seconds("prefill_duration", "launch_ns", "prefill_done_ns"));
    rules.add(seconds("decode_duration", "prefill_done_ns", "last_token_ns"));
    rules.add(seconds("ttft", "send_ns", "client_first_ns"));
    rules.add(executedAndQueued());
    rules.add(queuedAsTheEngineSays());
    rules.add(
        new Rule(
            "I3",
            "timing_valid is true: no instant before one that must be earlier",
            List.of("timing_valid"),
            row -> Finding.of(row.text("timing_valid").equals("true"))));
    rules.add(lowLoad());
    rules.add(
        new Rule(
            "router",
            "choosing a server takes less than 0.1 s, behind the warm-up",
            List.of("routing_ns", "warmup"),
            row ->
                row.has("router_pick_ns") && !row.text("warmup").equals("true")
                    ? Finding.of(row.number("routing_ns") < ROUTER_NS)
                    : Finding.NONE));
    return rules;
  }

  private static boolean isAnswered(CsvRow row) {
    return row.text("status").equals("ok");
  }

  private static Rule oneRowEach() {
    final Set<String> seen = new HashSet<>();
    return new Rule(
        "one row each",
        "no request has two rows",
        List.of("req_id"),
        row -> Finding.of(seen.add(row.text("req_id"))));
  }

  private static Finding inOrder(CsvRow row) {
    final long errorNs = Math.max(0, row.number("clock_err_ns"));
    long before = ABSENT;
    for (String column : CHAIN) {
      final long instant = row.number(column);
      if (instant == ABSENT) {
        continue;
      }
      if (before != ABSENT && instant < before - errorNs) {
        return Finding.BROKEN;
      }
      before = instant;
    }
    return Finding.KEPT;
  }

  private static Finding addUp(CsvRow row) {
    if (!RequestRowRules.present(row, "arrival_ns", "client_done_ns")) {
      return Finding.NONE;
    }
    long sumNs = 0;
    for (String part : PARTS) {
      sumNs += row.has(part) ? row.number(part) : 0;
    }
    return Finding.of(sumNs == row.number("client_done_ns") - row.number("arrival_ns"));
  }

  /** A duration in seconds, and the two instants that it is between. */
  private static Rule seconds(String duration, String begin, String end) {
    return new Rule(
        duration,
        duration + " == " + end + " - " + begin + ", in seconds",
        List.of(duration, begin, end),
        row ->
            RequestRowRules.present(row, duration, begin, end)
                ? Finding.of(
                    new BigDecimal(row.text(duration))
                            .compareTo(
                                BigDecimal.valueOf(row.number(end) - row.number(begin), NS_DIGITS))
                        == 0)
                : Finding.NONE);
  }

  private static Rule executedAndQueued() {
    return new Rule(
        "I1",
        "queue_total + exec_total == last_token_ns - enqueue_ns, in seconds",
        List.of("queue_total", "exec_total", "last_token_ns", "enqueue_ns"),
        row ->
            RequestRowRules.present(row, "queue_total", "exec_total", "last_token_ns", "enqueue_ns")
                ? Finding.of(
                    new BigDecimal(row.text("queue_total"))
                            .add(new BigDecimal(row.text("exec_total")))
                            .compareTo(
                                BigDecimal.valueOf(
                                    row.number("last_token_ns") - row.number("enqueue_ns"),
                                    NS_DIGITS))
                        == 0)
                : Finding.NONE);
  }

  /**
   * The engine accounts for waits by reason, apart from the instants: of a request that was never
   * preempted the two are the same, and no request waits less than to its first step or longer than
   * it lives.
   */
  private static Rule queuedAsTheEngineSays() {
    return new Rule(
        "queue_total",
        "queue_total == pure_queue_time without preemptions, and lies between it and"
            + " last_token_ns - enqueue_ns with them",
        List.of("queue_total", "pure_queue_time", "preemptions", "last_token_ns", "enqueue_ns"),
        row ->
            RequestRowRules.present(
                    row,
                    "queue_total",
                    "pure_queue_time",
                    "preemptions",
                    "last_token_ns",
                    "enqueue_ns")
                ? Finding.of(isQueuedAsTheEngineSays(row))
                : Finding.NONE);
  }

  private static boolean isQueuedAsTheEngineSays(CsvRow row) {
    final BigDecimal total = new BigDecimal(row.text("queue_total"));
    final int more = total.compareTo(new BigDecimal(row.text("pure_queue_time")));
    final BigDecimal life =
        BigDecimal.valueOf(row.number("last_token_ns") - row.number("enqueue_ns"), NS_DIGITS);
    return more == 0 || (more > 0 && row.number("preemptions") > 0 && total.compareTo(life) <= 0);
  }

  /** Rows are in the order of arrival. */
  private static Rule lowLoad() {
    final long[] lastEndNs = {Long.MIN_VALUE};
    return new Rule(
        "low load",
        "a request that arrives when all before it have ended queues for less than 0.1 s",
        List.of("arrival_ns", "client_done_ns", "enqueue_ns", "first_sched_ns"),
        row -> {
          final boolean alone = row.number("arrival_ns") >= lastEndNs[0];
          lastEndNs[0] = Math.max(lastEndNs[0], row.number("client_done_ns"));
          return alone && RequestRowRules.present(row, "enqueue_ns", "first_sched_ns")
              ? Finding.of(
                  row.number("first_sched_ns") - row.number("enqueue_ns") < LOW_LOAD_QUEUE_NS)
              : Finding.NONE;
        });
  }
}
