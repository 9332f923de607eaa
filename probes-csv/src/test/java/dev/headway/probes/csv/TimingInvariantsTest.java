package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timing invariants on random runs of a small scheduler. */
class TimingInvariantsTest {

  private static final int STEPS = 400;

  @TempDir private Path temporary;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldSumEveryIntervalExactly(long seed) {
    for (int depth = 1; depth <= 2; depth++) {
      final RandomRun run = new RandomRun(seed, STEPS, depth);
      final CsvResult result = CsvResult.of(run.script, temporary.resolve("out" + depth));
      final String given = "seed=" + seed + ", depth=" + depth;

      final List<Map<String, String>> rows = result.requests();
      assertThat(rows).as(given).hasSameSizeAs(run.expected.keySet());
      for (Map<String, String> row : rows) {
        final RandomRun.Expected expected = run.expected.get(row.get("request_id"));
        assertFinished(given + ", request=" + row.get("request_id"), row, expected);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14})
  void shouldGiveTransitionsWhoseDurationsAddUp(long seed) {
    final RandomRun run = new RandomRun(seed, STEPS, 2);
    final CsvResult result = CsvResult.of(run.script, temporary.resolve("out"));

    final Map<String, String> scheduledNs = new HashMap<>();
    for (Map<String, String> row : result.iterations()) {
      scheduledNs.put(row.get("iteration_id"), row.get("scheduled_time"));
    }
    final Map<String, Long> nsInState = new HashMap<>();
    final Map<String, Long> admissions = new HashMap<>();
    for (Map<String, String> row : result.transitions()) {
      final String id = row.get("request_id");
      if (!row.get("from_state").isEmpty()) {
        nsInState.merge(
            id + row.get("from_state"), number(row, "duration_in_from_state"), Long::sum);
      }
      if (row.get("to_state").equals("running")) {
        admissions.merge(id, 1L, Long::sum);
        assertThat(row.get("timestamp"))
            .as("I5: seed=%s, row=%s", seed, row)
            .isEqualTo(scheduledNs.get(row.get("iteration_id")));
      }
    }
    long preemptions = 0;
    for (Map<String, String> row : result.requests()) {
      if (row.get("status").equals("finished")) {
        final String id = row.get("request_id");
        final long waited =
            nsInState.getOrDefault(id + "waiting", 0L)
                + nsInState.getOrDefault(id + "preempted", 0L);
        assertThat(waited).as("I2: seed=%s, %s", seed, id).isEqualTo(number(row, "waiting_time"));
        assertThat(nsInState.getOrDefault(id + "running", 0L))
            .as("I2: seed=%s, %s", seed, id)
            .isEqualTo(number(row, "execution_time"));
        if (!row.get("finish_reason").equals("abort")) {
          assertThat(number(row, "wait_count")).isEqualTo(number(row, "preemption_count") + 1);
        }
        assertThat(admissions.getOrDefault(id, 0L))
            .as("I4: seed=%s, %s", seed, id)
            .isBetween(number(row, "preemption_count"), number(row, "preemption_count") + 1);
        preemptions += number(row, "preemption_count");
      }
    }
    assertThat(preemptions).as("the run must preempt: seed=%s", seed).isPositive();
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23})
  void shouldCountRowsAsThePlansDid(long seed) {
    final RandomRun run = new RandomRun(seed, STEPS, 2);
    final CsvResult result = CsvResult.of(run.script, temporary.resolve("out"));

    final int[] running = new int[STEPS];
    final int[] waiting = new int[STEPS];
    final int[] preempted = new int[STEPS];
    for (Map<String, String> row : result.iterationRequests()) {
      final int iteration = Integer.parseInt(row.get("iteration_id"));
      switch (row.get("state")) {
        case "running" -> running[iteration]++;
        case "waiting" -> waiting[iteration]++;
        case "preempted" -> {
          waiting[iteration]++;
          preempted[iteration]++;
        }
        default -> assertThat(row).containsEntry("state", "completed");
      }
    }
    for (Map<String, String> row : result.iterations()) {
      final int iteration = Integer.parseInt(row.get("iteration_id"));
      assertThat(
              List.of(
                  number(row, "running_count"),
                  number(row, "waiting_count"),
                  number(row, "preempted_count")))
          .as("seed=%s, iteration=%s", seed, iteration)
          .containsExactly(
              (long) running[iteration], (long) waiting[iteration], (long) preempted[iteration]);
    }
  }

  @Test
  void shouldFlagStampsThatGoBackwardsAndKeepThem() {
    final StepScript step =
        new StepScript(1, 10, 50)
            .entry(0, 4, 0, true, 1, 1)
            .counts(1, 0, 0, 99)
            .done(51, 40, 60, 1);
    final EventScript backwards =
        EventScript.full()
            .queued(0, "a", 5, 6, 4)
            .admitted(1, 0, 0)
            .planned(step)
            .firstToken(1, 0, 40)
            .finished(1, 0, "length", 1, 40)
            .completed(step);

    final CsvResult result = CsvResult.of(backwards, temporary.resolve("out"));

    assertThat(result.request("a"))
        .containsEntry("timing_valid", "false")
        .containsEntry("waiting_time", "44")
        .containsEntry("execution_time", "-10");
    assertThat(result.manifest()).contains("\"timing_violations\" : 1");
  }

  @Test
  void shouldFlagAStayThatEndsBeforeItBegins() {
    final StepScript first =
        new StepScript(1, 10, 20)
            .entry(0, 4, 0, true, 1, 1)
            .counts(1, 0, 0, 99)
            .done(20, 30, 31, 1);
    final StepScript second = new StepScript(2, 40, 90).counts(0, 1, 1, 100).done(90, 91, 92);
    final StepScript third =
        new StepScript(3, 50, 60)
            .entry(0, 5, 0, true, 1, 1)
            .counts(1, 0, 0, 99)
            .done(60, 100, 101, 1);
    final EventScript backwards =
        EventScript.full()
            .queued(0, "a", 5, 6, 4)
            .admitted(1, 0, 0)
            .planned(first)
            .firstToken(1, 0, 30)
            .completed(first)
            .preempted(2, 0, "kv_blocks", -1, 4, 1)
            .planned(second)
            .completed(second)
            .resumed(3, 0, 0, 0)
            .planned(third)
            .finished(3, 0, "length", 1, 100)
            .completed(third);

    final CsvResult result = CsvResult.of(backwards, temporary.resolve("out"));

    assertThat(result.request("a"))
        .containsEntry("timing_valid", "false")
        .containsEntry("waiting_time", "-16") // 6..20 and 90..60
        .containsEntry("execution_time", "110"); // 20..90 and 60..100
  }

  private static void assertFinished(
      String given, Map<String, String> row, RandomRun.Expected expected) {
    if (expected.completionNs < 0) {
      assertThat(row).as(given).containsEntry("status", "unfinished");
      return;
    }
    assertThat(number(row, "waiting_time")).as("I1: " + given).isEqualTo(expected.waitedNs);
    assertThat(number(row, "execution_time")).as("I1: " + given).isEqualTo(expected.ranNs);
    assertThat(number(row, "waiting_time") + number(row, "execution_time"))
        .as("I1: " + given)
        .isEqualTo(expected.completionNs - expected.queuedNs);
    assertThat(row)
        .as(given)
        .containsEntry("timing_valid", "true")
        .containsEntry("starvation", Long.toString(expected.longestNs))
        .containsEntry("preemption_count", Integer.toString(expected.preemptions))
        .containsEntry("output_tokens", Long.toString(expected.outputs))
        .containsEntry("computed_tokens", Long.toString(expected.computed))
        .containsEntry("recomputed_tokens", Long.toString(expected.recomputed))
        .containsEntry("first_token_time", present(expected.firstTokenNs))
        .containsEntry("last_token_time", present(expected.lastTokenNs))
        .containsEntry("completion_time", Long.toString(expected.completionNs));
    assertReasons(given, row, expected);
    assertPhases(given, row, expected);
  }

  private static void assertReasons(
      String given, Map<String, String> row, RandomRun.Expected expected) {
    long sum = 0;
    for (Map.Entry<String, String> cell : row.entrySet()) {
      final String name = cell.getKey();
      if (name.startsWith("waiting_") && name.endsWith("_ns") && !name.equals("waiting_other_ns")) {
        final String reason = name.substring("waiting_".length(), name.length() - "_ns".length());
        assertThat(Long.parseLong(cell.getValue()))
            .as(given + ", reason=" + reason)
            .isEqualTo(expected.waitedFor.getOrDefault(reason, 0L));
        sum += Long.parseLong(cell.getValue());
      }
    }
    assertThat(row).as(given).containsEntry("waiting_other_ns", "");
    assertThat(sum).as("reasons: " + given).isEqualTo(expected.waitedNs);
  }

  private static void assertPhases(
      String given, Map<String, String> row, RandomRun.Expected expected) {
    if (expected.firstTokenNs >= 0) {
      assertThat(
              number(row, "waiting_time")
                  + number(row, "prefill_time")
                  + number(row, "decode_time")
                  - number(row, "decode_stall"))
          .as("I2: " + given)
          .isEqualTo(expected.completionNs - expected.queuedNs);
      assertThat(number(row, "decode_stall")).as(given).isNotNegative();
    }
  }

  private static long number(Map<String, String> row, String column) {
    return Long.parseLong(row.get(column));
  }

  private static String present(long ns) {
    return ns < 0 ? "" : Long.toString(ns);
  }
}
