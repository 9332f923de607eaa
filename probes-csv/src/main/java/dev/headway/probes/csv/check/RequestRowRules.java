package dev.headway.probes.csv.check;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.probes.csv.check.Rule.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rules that a row of {@code per_request.csv} is held to by itself. */
final class RequestRowRules {

  /** Instants in the order required. */
  static final List<String> CHAIN =
      List.of(
          "arrival_time",
          "queued_time",
          "first_scheduled_time",
          "first_token_time",
          "last_token_time",
          "completion_time");

  /** Without these the file cannot be checked. */
  static final List<String> REQUIRED =
      List.of(
          "request_id",
          "arrival_time",
          "first_scheduled_time",
          "completion_time",
          "waiting_time",
          "execution_time",
          "e2e_latency",
          "output_tokens",
          "ttft",
          "preemption_count",
          "run",
          "request_number",
          "status",
          "queued_time",
          "first_token_time",
          "last_token_time",
          "timing_valid",
          "wait_count");

  private static final List<String> DURATIONS =
      List.of(
          "waiting_time",
          "execution_time",
          "e2e_latency",
          "ttft",
          "tpot",
          "ingress_ns",
          "queue_first_ns",
          "ttft_engine_ns",
          "prefill_time",
          "decode_time",
          "decode_stall",
          "starvation");

  private static final long LONGEST_RUN_NS = TimeUnit.DAYS.toNanos(3_650);
  private static final Pattern JSON_NUMBER = Pattern.compile(":\\s*(-?\\d+)");

  private RequestRowRules() {}

  static List<Rule> all() {
    final List<Rule> rules = new ArrayList<>();
    rules.add(
        new Rule(
            "filled",
            "a finished request with tokens has all instants",
            CHAIN,
            row ->
                isFinished(row) && row.number("output_tokens") > 0 && hasSteps(row)
                    ? Finding.of(CHAIN.stream().allMatch(row::has))
                    : Finding.NONE));
    rules.add(
        new Rule(
            "order",
            String.join(" <= ", CHAIN) + ", as far as they are present",
            CHAIN,
            RequestRowRules::inOrder));
    rules.add(
        new Rule(
            "one clock",
            "instants are of the run's clock: within ten years of its start",
            CHAIN,
            row -> Finding.of(CHAIN.stream().allMatch(column -> isPlausible(row.number(column))))));
    rules.add(
        new Rule(
            "no negative duration",
            "a duration is absent or >= 0",
            DURATIONS,
            row ->
                Finding.of(
                    DURATIONS.stream()
                        .mapToLong(row::number)
                        .allMatch(ns -> ns == ABSENT || ns >= 0))));
    rules.add(difference("e2e_latency", "arrival_time", "completion_time"));
    rules.add(difference("ttft", "arrival_time", "first_token_time"));
    rules.add(difference("ttft_engine_ns", "queued_time", "first_token_time"));
    rules.add(difference("queue_first_ns", "queued_time", "first_scheduled_time"));
    rules.add(difference("ingress_ns", "arrival_time", "queued_time"));
    rules.add(
        new Rule(
            "I1",
            "waiting_time + execution_time == completion_time - queued_time",
            List.of("waiting_time", "execution_time", "completion_time", "queued_time"),
            row ->
                present(row, "waiting_time", "execution_time", "completion_time", "queued_time")
                    ? Finding.of(
                        row.number("waiting_time") + row.number("execution_time")
                            == row.number("completion_time") - row.number("queued_time"))
                    : Finding.NONE));
    rules.add(
        new Rule(
            "first token adds up",
            "ingress_ns + prefill_time + waiting_time - decode_stall == ttft",
            List.of("ingress_ns", "prefill_time", "waiting_time", "decode_stall", "ttft"),
            row ->
                present(row, "ingress_ns", "prefill_time", "waiting_time", "decode_stall", "ttft")
                    ? Finding.of(
                        row.number("ingress_ns")
                                + row.number("prefill_time")
                                + row.number("waiting_time")
                                - row.number("decode_stall")
                            == row.number("ttft"))
                    : Finding.NONE));
    rules.add(
        new Rule(
            "I3",
            "timing_valid is true: no stamp before its predecessor, no record missing",
            List.of("timing_valid"),
            row ->
                row.has("timing_valid")
                    ? Finding.of(row.text("timing_valid").equals("true"))
                    : Finding.NONE));
    rules.add(
        new Rule(
            "I4",
            "a finished request entered the queue once, and once more per preemption; a session also"
                + " per wait for input, and it may have been preempted while it waited",
            List.of("wait_count", "preemption_count"),
            row ->
                isFinished(row) && present(row, "wait_count", "preemption_count")
                    ? Finding.of(enteredTheQueueAsOftenAsItLeft(row))
                    : Finding.NONE));
    rules.add(
        new Rule(
            "waits add up",
            "the times by reason sum up to waiting_time",
            List.of("waiting_time", "waiting_other_ns"),
            RequestRowRules::waitsAddUp));
    return rules;
  }

  private static boolean enteredTheQueueAsOftenAsItLeft(CsvRow row) {
    final long inputWaits = row.has("input_wait_count") ? row.number("input_wait_count") : 0;
    final long entered = row.number("wait_count") - 1 - inputWaits;
    final long preempted = row.number("preemption_count");
    return inputWaits == 0 ? entered == preempted : 0 <= entered && entered <= preempted;
  }

  static boolean isFinished(CsvRow row) {
    return row.text("status").equals("finished");
  }

  static boolean present(CsvRow row, String... columns) {
    for (String column : columns) {
      if (!row.has(column)) {
        return false;
      }
    }
    return true;
  }

  private static Rule difference(String duration, String begin, String end) {
    return new Rule(
        duration,
        duration + " == " + end + " - " + begin,
        List.of(duration, begin, end),
        row ->
            present(row, duration, begin, end)
                ? Finding.of(row.number(duration) == row.number(end) - row.number(begin))
                : Finding.NONE);
  }

  private static Finding inOrder(CsvRow row) {
    long before = ABSENT;
    for (String column : CHAIN) {
      final long instant = row.number(column);
      if (instant != ABSENT) {
        if (instant < before) {
          return Finding.BROKEN;
        }
        before = instant;
      }
    }
    return Finding.KEPT;
  }

  private static boolean isPlausible(long instantNs) {
    return instantNs == ABSENT || (instantNs > -LONGEST_RUN_NS && instantNs < LONGEST_RUN_NS);
  }

  private static Finding waitsAddUp(CsvRow row) {
    if (!row.has("waiting_time")) {
      return Finding.NONE;
    }
    long sum = 0;
    for (Map.Entry<String, String> cell : row.all().entrySet()) {
      final String column = cell.getKey();
      if (column.equals("waiting_other_ns")) {
        final Matcher numbers = JSON_NUMBER.matcher(cell.getValue());
        while (numbers.find()) {
          sum += Long.parseLong(numbers.group(1));
        }
      } else if (column.startsWith("waiting_") && column.endsWith("_ns") && row.has(column)) {
        sum += row.number(column);
      }
    }
    return Finding.of(sum == row.number("waiting_time"));
  }

  /** Whether its work was recorded; a journal of level summary has none, and so no last token. */
  private static boolean hasSteps(CsvRow row) {
    return row.has("computed_tokens");
  }
}
