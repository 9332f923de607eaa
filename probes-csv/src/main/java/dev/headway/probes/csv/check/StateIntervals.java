package dev.headway.probes.csv.check;

import dev.headway.probes.csv.check.CsvRow.RequestKey;
import dev.headway.probes.csv.check.Rule.Finding;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** I2: what {@code state_transitions.csv} says of a request covers its whole life. */
final class StateIntervals {

  private final Map<RequestKey, Long> sums = new HashMap<>();

  /** Takes a row of {@code state_transitions.csv}. */
  void add(CsvRow row) {
    if (row.has("duration_in_from_state")) {
      sums.merge(row.request(), row.number("duration_in_from_state"), Long::sum);
    }
  }

  Rule rule() {
    return new Rule(
        "I2",
        "the time in all states == completion_time - queued_time",
        List.of("completion_time", "queued_time"),
        row -> {
          final Long sum = sums.get(row.request());
          return sum != null && RequestRowRules.present(row, "completion_time", "queued_time")
              ? Finding.of(sum == row.number("completion_time") - row.number("queued_time"))
              : Finding.NONE;
        });
  }
}
