package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventOrderTest {

  @TempDir private Path temporary;

  @Test
  void shouldOrderEventsByTimestampWhateverTheJournalOrder() {
    for (long seed = 31; seed <= 34; seed++) {
      final RandomRun run = new RandomRun(seed, 300, 2);

      final CsvResult result = CsvResult.of(run.script, temporary.resolve("out" + seed));

      long before = 0;
      for (Map<String, String> row : result.events()) {
        final long timestamp = Long.parseLong(row.get("timestamp"));
        assertThat(timestamp).as("seed=%s, row=%s", seed, row).isGreaterThanOrEqualTo(before);
        before = timestamp;
      }
      assertThat(result.manifest()).contains("\"events_out_of_order\" : 0");
    }
  }

  @Test
  void shouldGiveDecisionsTheEndOfTheirScheduling() {
    final CsvResult result = CsvResult.of(Scenarios.preemption(), temporary.resolve("out"));

    assertThat(result.events())
        .filteredOn(row -> row.get("timestamp").equals("305"))
        .extracting(row -> row.get("event_type") + ":" + row.get("request_id"))
        .containsExactly(
            "kv_block_removed:",
            "request_preempted:b",
            "kv_cache_freed:b",
            "request_blocked:b",
            "admissions_closed:",
            "kv_cache_allocated:a");
  }

  @Test
  void shouldTellEverythingThatHappenedToOneRequest() {
    final CsvResult result = CsvResult.of(Scenarios.preemption(), temporary.resolve("out"));

    assertThat(result.events())
        .filteredOn(row -> row.get("request_id").equals("b"))
        .extracting(row -> row.get("timestamp") + " " + row.get("event_type"))
        .containsExactly(
            "30 request_arrived",
            "40 request_queued",
            "212 request_admitted",
            "212 request_scheduled",
            "212 kv_cache_allocated",
            "250 first_token_generated",
            "305 request_preempted",
            "305 kv_cache_freed",
            "305 request_blocked",
            "401 request_unblocked",
            "401 request_blocked",
            "506 request_admitted",
            "506 request_evicted",
            "506 request_scheduled",
            "506 kv_cache_allocated",
            "603 request_scheduled",
            "603 kv_cache_allocated",
            "620 kv_cache_freed",
            "620 request_completed");
  }

  @Test
  void shouldCountEventsThatComeTooLate() {
    final EventScript script = EventScript.full();
    for (long step = 1; step <= 20; step++) {
      script
          .queued(step, "r" + step, step * 100, step * 100, 8)
          .planned(new StepScript(step, step * 100 + 1, step * 100 + 2).counts(0, 1, 0, 100));
    }
    script.queued(99, "late", 5, 3_000, 8);

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.manifest()).contains("\"events_out_of_order\" : 1");
    assertThat(result.request("late")).containsEntry("ingress_ns", "2995");
  }

  @Test
  void shouldStayInOrderThroughABurst() {
    final EventScript script = EventScript.full();
    final int burst = 30_000;
    for (int i = 0; i < burst; i++) {
      script.queued(i, "r" + i, i, burst + i, 8);
    }

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    final List<Map<String, String>> events = result.events();
    assertThat(events).hasSize(2 * burst + 1);
    assertThat(events.get(1)).containsEntry("event_type", "request_arrived");
    assertThat(events.get(burst)).containsEntry("event_type", "request_arrived");
  }
}
