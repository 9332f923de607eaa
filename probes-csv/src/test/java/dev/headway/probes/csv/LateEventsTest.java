package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.JourneyRecord;
import dev.headway.events.record.KvTransferRecord;
import dev.headway.events.record.QueuedRecord;
import dev.headway.events.record.ScoredRecord;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events that schema 1.1 added: what servers see, scores, moved blocks, targets. */
class LateEventsTest {

  private static final long ABSENT = Long.MIN_VALUE;

  @TempDir private Path temporary;

  @Test
  void shouldPutTheServersSideOfARequestIntoTheEventsAtItsOwnInstants() {
    final EventScript given =
        EventScript.full()
            .add(visitor -> visitor.onJourney(new JourneyRecord("a", "arrived", 90, null, null)))
            .queued(0, "a", 95, 100, 10)
            .finished(0, 0, "aborted", 0, 200)
            .add(
                visitor ->
                    visitor.onJourney(
                        new JourneyRecord("a", "aborted", 150, "client_disconnect", "gone")))
            .runEnded(300);

    final List<Map<String, String>> events = new CsvResult(run(given)).events();

    assertThat(events)
        .filteredOn(row -> row.get("event_type").startsWith("api_"))
        .map(row -> row.get("timestamp") + " " + row.get("event_type") + " " + row.get("details"))
        .containsExactly(
            "90 api_arrived ",
            "150 api_aborted {\"reason\":\"client_disconnect\",\"error\":\"gone\"}");
    assertThat(events).extracting(row -> Long.parseLong(row.get("timestamp"))).isSorted();
  }

  @Test
  void shouldTellTheScoresOfADecision() {
    final StepScript step =
        new StepScript(1, 200, 250)
            .entry(0, 10, 0, true, 1, 1)
            .counts(1, 0, 0, 9)
            .done(260, 280, 290, 1);
    final EventScript given =
        EventScript.full()
            .queued(0, "a", 95, 100, 10)
            .add(visitor -> visitor.onScored(new ScoredRecord(1, 0, -2.5)))
            .admitted(1, 0, 0)
            .planned(step)
            .completed(step)
            .runEnded(9_000);

    assertThat(new CsvResult(run(given)).events())
        .filteredOn(row -> row.get("event_type").equals("request_scored"))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row).containsEntry("details", "{\"score\":-2.5}");
              assertThat(row).containsEntry("request_id", "a").containsEntry("iteration_id", "0");
            });
  }

  @Test
  void shouldTellOfBlocksThatMove() {
    final EventScript given =
        EventScript.full()
            .add(
                visitor ->
                    visitor.onKvTransfer(
                        new KvTransferRecord(
                            "completed", 7, -1, 3, "gpu", "cpu", 12, null, false, 400)))
            .runEnded(500);

    assertThat(new CsvResult(run(given)).events())
        .filteredOn(row -> row.get("event_type").equals("kv_transfer_completed"))
        .singleElement()
        .satisfies(
            row ->
                assertThat(row)
                    .containsEntry("timestamp", "400")
                    .containsEntry(
                        "details",
                        "{\"transfer_id\":7,\"step_id\":3,\"source\":\"gpu\",\"target\":\"cpu\","
                            + "\"blocks\":12,\"succeeded\":false}"));
  }

  @Test
  void shouldCountBlocksThatMoveForAStepBehindTheLatestPlan() {
    final StepScript first = new StepScript(1, 200, 250).counts(0, 0, 0, 9).done(260, 280, 290);
    final StepScript second = new StepScript(2, 252, 255).counts(0, 0, 0, 9).done(285, 290, 295);
    final EventScript given =
        EventScript.full()
            .planned(first)
            .planned(second)
            .add(
                visitor ->
                    visitor.onKvTransfer(
                        new KvTransferRecord(
                            "load_committed", 7, -1, 1, "cpu", "gpu", 12, null, true, 256)))
            .completed(first)
            .completed(second)
            .runEnded(9_000);

    assertThat(new CsvResult(run(given)).iterations())
        .extracting(row -> row.get("actions"))
        .containsExactly("swap_in", "continue");
  }

  @Test
  void shouldSayWhetherTheFirstTokenCameInTime() {
    final EventScript given =
        EventScript.full()
            .add(visitor -> visitor.onQueued(wanting(0, "early", 50)))
            .add(visitor -> visitor.onQueued(wanting(1, "late", 49)))
            .add(visitor -> visitor.onQueued(wanting(2, "never", 50)))
            .add(visitor -> visitor.onQueued(wanting(3, "alive", 50)))
            .add(visitor -> visitor.onQueued(wanting(4, "patient", ABSENT)))
            .firstToken(1, 0, 150)
            .firstToken(1, 1, 150)
            .firstToken(1, 4, 150)
            .add(visitor -> visitor.onFinished(ended(2)))
            .runEnded(500);

    final CsvResult result = new CsvResult(run(given));

    assertThat(result.request("early"))
        .containsEntry("ttft_target_ns", "50")
        .containsEntry("ttft_target_met", "true")
        .containsEntry("timeout_ns", "7")
        .containsEntry("adapter", "poet");
    assertThat(result.request("late")).containsEntry("ttft_target_met", "false");
    assertThat(result.request("never")).containsEntry("ttft_target_met", "false");
    assertThat(result.request("alive")).containsEntry("ttft_target_met", "");
    assertThat(result.request("patient"))
        .containsEntry("ttft_target_ns", "")
        .containsEntry("ttft_target_met", "");
  }

  private static QueuedRecord wanting(long number, String id, long ttftTargetNs) {
    return new QueuedRecord(number, id, 100, 100, 10, 5, 0, 0, null, ttftTargetNs, 7, "poet", null);
  }

  private static FinishedRecord ended(long number) {
    return new FinishedRecord(0, number, "aborted", -1, null, 0, 0, 300);
  }

  private Path run(EventScript script) {
    return CsvResult.of(script, temporary.resolve("csv")).directory();
  }
}
