package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.probes.csv.CsvResult;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.RandomRun;
import dev.headway.report.explain.ExplainFixture;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What {@code explain} says of a request adds up to the nanosecond, and is what the CSV files say
 * of it: they are made by other code from the same records.
 */
class ExplainAccountTest {

  private static final int STEPS = 250;

  @TempDir private Path temporary;

  @ParameterizedTest
  @CsvSource({"1,1", "2,1", "3,1", "1,2", "2,2", "3,2"})
  void shouldAccountForEveryNanosecondAsTheFilesDo(long seed, int depth) {
    final EventScript script = new RandomRun(seed, STEPS, depth).script;
    final CsvResult files = CsvResult.of(script, temporary.resolve("out"));
    final ExplainFixture explain = new ExplainFixture(script::playTo);

    int preemptions = 0;
    for (Map<String, String> row : files.requests()) {
      final String id = row.get("request_id");
      final String given = "seed=" + seed + ", depth=" + depth + ", request=" + id;
      final ExplainFixture.Figures figures = explain.figures(id);
      assertThat(figures.linesNs())
          .as("lines add up to the time from arrival to end: " + given)
          .isEqualTo(figures.untilNs() - figures.arrivalNs());
      if (figures.ttftNs() >= 0) {
        assertThat(figures.beforeFirstTokenNs()).as(given).isEqualTo(figures.ttftNs());
      }
      assertThat(figures.ended()).as(given).isEqualTo(row.get("status").equals("finished"));
      if (figures.ended()) {
        assertSame(given, figures, row);
      }
      preemptions += figures.preemptions();
    }
    assertThat(preemptions).as("the run must preempt: seed=%s", seed).isPositive();
  }

  @Test
  void shouldListTheSameRequestsAsTheFiles() {
    final EventScript script = new RandomRun(5, STEPS, 2).script;
    final List<Map<String, String>> rows =
        CsvResult.of(script, temporary.resolve("out")).requests().stream()
            .filter(row -> row.get("status").equals("finished"))
            .toList();
    final ExplainFixture explain = new ExplainFixture(script::playTo);

    final List<String> all = explain.slowest(10_000);
    final List<String> waits = explain.longestWait(10_000);

    assertThat(all.stream().filter(id -> isIn(rows, id)).limit(10).toList())
        .isEqualTo(longest(rows, "e2e_latency"));
    assertThat(waits.stream().filter(id -> isIn(rows, id)).limit(10).toList())
        .isEqualTo(longest(rows, "waiting_time"));
    assertThat(explain.slowest(3)).isEqualTo(all.subList(0, 3));
  }

  private static void assertSame(
      String given, ExplainFixture.Figures figures, Map<String, String> row) {
    assertThat(figures.waitedNs()).as(given).isEqualTo(number(row, "waiting_time"));
    assertThat(figures.untilNs() - figures.arrivalNs())
        .as(given)
        .isEqualTo(number(row, "e2e_latency"));
    final Map<String, Long> reasons = new HashMap<>();
    for (Map.Entry<String, String> cell : row.entrySet()) {
      final String name = cell.getKey();
      if (name.startsWith("waiting_") && name.endsWith("_ns") && !cell.getValue().isEmpty()) {
        final long ns = Long.parseLong(cell.getValue());
        if (ns != 0) {
          reasons.put(name.substring("waiting_".length(), name.length() - "_ns".length()), ns);
        }
      }
    }
    assertThat(figures.waitedForNs()).as(given).isEqualTo(reasons);
    assertThat(figures.preemptions()).as(given).isEqualTo(number(row, "preemption_count"));
    assertThat(figures.recomputedTokens()).as(given).isEqualTo(number(row, "recomputed_tokens"));
    assertThat(figures.tokens()).as(given).isEqualTo(number(row, "output_tokens"));
  }

  private static boolean isIn(List<Map<String, String>> rows, String id) {
    return rows.stream().anyMatch(row -> row.get("request_id").equals(id));
  }

  private static List<String> longest(List<Map<String, String>> rows, String column) {
    return rows.stream()
        .sorted(
            Comparator.<Map<String, String>>comparingLong(row -> -number(row, column))
                .thenComparingLong(row -> number(row, "request_number")))
        .limit(10)
        .map(row -> row.get("request_id"))
        .toList();
  }

  private static long number(Map<String, String> row, String column) {
    return Long.parseLong(row.get(column));
  }
}
