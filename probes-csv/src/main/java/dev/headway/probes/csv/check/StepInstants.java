package dev.headway.probes.csv.check;

import dev.headway.probes.csv.check.Rule.Finding;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** I5: an admission takes place at the end of scheduling of its step. */
final class StepInstants {

  private static final double LOW_LOAD_SHARE = 0.99;

  private final Map<Long, OfRun> scheduledNs = new HashMap<>();
  private long steps;
  private long stepsWithoutQueue;

  /** Instants of one run: 8 bytes per iteration that follows its predecessor, as all should. */
  private static final class OfRun {

    private final long first;
    private long[] inOrder = new long[64];
    private int count;
    private final Map<Long, Long> others = new HashMap<>();

    OfRun(long first) {
      this.first = first;
    }

    void put(long iteration, long ns) {
      if (iteration != first + count) {
        others.put(iteration, ns);
        return;
      }
      if (count == inOrder.length) {
        inOrder = Arrays.copyOf(inOrder, count + (count >> 1));
      }
      inOrder[count++] = ns;
    }

    @Nullable Long of(long iteration) {
      final long index = iteration - first;
      return index >= 0 && index < count ? (Long) inOrder[(int) index] : others.get(iteration);
    }
  }

  /** Takes a row of {@code per_iteration.csv}. */
  void add(CsvRow row) {
    final long iteration = row.number("iteration_id");
    scheduledNs
        .computeIfAbsent(row.number("run"), run -> new OfRun(iteration))
        .put(iteration, row.number("scheduled_time"));
    steps++;
    stepsWithoutQueue += row.number("waiting_count") == 0 ? 1 : 0;
  }

  /** Whether hardly any request waited. */
  boolean isLowLoad() {
    return stepsWithoutQueue >= LOW_LOAD_SHARE * steps;
  }

  /** For {@code per_request.csv}. */
  Rule firstScheduled() {
    return new Rule(
        "I5 first",
        "first_scheduled_time == scheduled_time of iteration first_scheduled_iteration",
        List.of("first_scheduled_time", "first_scheduled_iteration"),
        row -> joined(row, "first_scheduled_time", "first_scheduled_iteration"));
  }

  /** For {@code state_transitions.csv}. */
  Rule everyAdmission() {
    return new Rule(
        "I5 every",
        "a transition to running is at the scheduled_time of its iteration",
        List.of("timestamp", "iteration_id", "to_state"),
        row ->
            row.text("to_state").equals("running")
                ? joined(row, "timestamp", "iteration_id")
                : Finding.NONE);
  }

  private Finding joined(CsvRow row, String instant, String iteration) {
    if (!RequestRowRules.present(row, instant, iteration)) {
      return Finding.NONE;
    }
    final OfRun run = scheduledNs.get(row.number("run"));
    final Long scheduled = run == null ? null : run.of(row.number(iteration));
    return Finding.of(scheduled != null && scheduled == row.number(instant));
  }
}
