package dev.headway.probes.csv.check;

import dev.headway.probes.csv.check.Rule.Finding;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** I5: an admission takes place at the end of scheduling of its step. */
final class StepInstants {

  private static final double LOW_LOAD_SHARE = 0.99;

  private final Map<StepKey, Long> scheduledNs = new HashMap<>();
  private long stepsWithoutQueue;

  private record StepKey(long run, long iteration) {}

  /** Takes a row of {@code per_iteration.csv}. */
  void add(CsvRow row) {
    scheduledNs.put(
        new StepKey(row.number("run"), row.number("iteration_id")), row.number("scheduled_time"));
    stepsWithoutQueue += row.number("waiting_count") == 0 ? 1 : 0;
  }

  /** Whether hardly any request waited. */
  boolean isLowLoad() {
    return stepsWithoutQueue >= LOW_LOAD_SHARE * scheduledNs.size();
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
    final Long scheduled = scheduledNs.get(new StepKey(row.number("run"), row.number(iteration)));
    return Finding.of(scheduled != null && scheduled == row.number(instant));
  }
}
