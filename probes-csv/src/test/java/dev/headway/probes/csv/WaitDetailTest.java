package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What stands behind a wait: the step before the queue, the head's reason, blocks given away. */
class WaitDetailTest {

  private static final long BEGIN = 1_700_000_000_000_000_000L - 5; // anchor minus its instant

  @TempDir private Path temporary;

  @Test
  void shouldNameTheStepThatKeptARequestFromTheQueue() {
    final StepScript step =
        new StepScript(1, 100, 110)
            .entry(0, 16, 0, true, 1, 1)
            .counts(1, 0, 0, 99)
            .done(112, 150, 160, 1);
    final EventScript script =
        EventScript.full()
            .queued(0, "idle", 80, 90, 16)
            .admitted(1, 0, 0)
            .planned(step)
            .firstToken(1, 0, 150)
            .completed(step)
            .queued(1, "held", 120, 165, 16)
            .queued(2, "late", 161, 166, 16)
            .queued(3, "at once", 170, 170, 16)
            .runEnded(200);

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.request("idle"))
        .containsEntry("ingress_reason", "engine_idle")
        .containsEntry("ingress_iteration", "");
    assertThat(result.request("held"))
        .containsEntry("ingress_reason", "step_in_progress")
        .containsEntry("ingress_iteration", "0")
        .containsEntry("ingress_ns", "45");
    assertThat(result.request("late")).containsEntry("ingress_reason", "engine_idle");
    assertThat(result.request("at once"))
        .containsEntry("ingress_reason", "")
        .containsEntry("ingress_ns", "0");
  }

  @Test
  void shouldResolveTheHeadOfTheLine() {
    final StepScript step =
        new StepScript(1, 100, 110)
            .entry(0, 16, 0, true, 1, 1)
            .counts(1, 2, 0, 1)
            .done(112, 150, 160, 1);
    final EventScript script =
        EventScript.full()
            .queued(0, "runs", 10, 10, 16)
            .queued(1, "head", 11, 11, 64)
            .queued(2, "behind", 12, 12, 16)
            .admitted(1, 0, 0)
            .blocked(1, 1, "memory_insufficient", -1, 4, 1)
            .closed(1, "head_of_line", 1)
            .planned(step)
            .runEnded(200);

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.iterationRequest(0, "head"))
        .containsEntry("waiting_reason", "memory_insufficient")
        .containsEntry("root_reason", "memory_insufficient");
    assertThat(result.iterationRequest(0, "behind"))
        .containsEntry("waiting_reason", "head_of_line")
        .containsEntry("root_reason", "memory_insufficient");
    assertThat(result.iteration(0))
        .containsEntry("waiting_reason", "head_of_line")
        .containsEntry("root_reason", "memory_insufficient");
  }

  @Test
  void shouldSayWhenTheBlocksOfAPreemptedRequestAreGivenAway() {
    final StepScript first =
        new StepScript(1, 100, 110)
            .entry(0, 32, 0, true, 2, 2)
            .counts(1, 0, 0, 2)
            .done(112, 150, 160, 1);
    final StepScript second =
        new StepScript(2, 200, 210).counts(0, 1, 1, 4).notExecuted().done(0, 0, 220);
    final StepScript third =
        new StepScript(3, 300, 310)
            .entry(1, 48, 0, true, 3, 3)
            .counts(1, 1, 1, 1)
            .done(312, 350, 360, 1);
    final EventScript script =
        EventScript.full()
            .queued(0, "victim", 10, 10, 32)
            .admitted(1, 0, 0)
            .kvStored(0, 0xaL, 0xbL)
            .planned(first)
            .firstToken(1, 0, 150)
            .completed(first)
            .preempted(2, 0, "kv_blocks", -1, 33, 2)
            .planned(second)
            .completed(second)
            .queued(1, "taker", 230, 230, 48)
            .kvRemoved(0xbL)
            .kvRemoved(0x77)
            .admitted(3, 1, 0)
            .planned(third)
            .runEnded(400);

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.iterationRequest(1, "victim")).containsEntry("evicted_blocks", "0");
    assertThat(result.iterationRequest(2, "victim")).containsEntry("evicted_blocks", "1");
    assertThat(result.iterationRequest(2, "taker")).containsEntry("evicted_blocks", "");
    assertThat(result.iteration(2))
        .containsEntry("scheduler_action", "evict")
        .containsEntry("actions", "evict;admit_new;reuse_cached_blocks");
    assertThat(result.text("events.csv"))
        .contains("310,request_evicted,victim,\"{\"\"cause\"\":\"\"blocks_reused\"\"");
    assertThat(result.request("victim")).containsEntry("eviction_count", "1");
  }

  @Test
  void shouldNameTheCalendarTimeOfARunInRealTime() {
    final EventScript script =
        EventScript.inRealTime(20).queued(0, "a", 1_000_000_042L, 1_000_000_043L, 16).runEnded(50);

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.request("a"))
        .containsEntry("arrival_unix_ns", Long.toString(BEGIN + 1_000_000_042L))
        .containsEntry("arrival_iso8601", "2023-11-14T22:13:21.000000037Z")
        .containsEntry("completion_unix_ns", "")
        .containsEntry("completion_iso8601", "");
    assertThat(result.text("events.csv")).contains(",2023-11-14T22:13:21.000000038Z\n");
  }

  @Test
  void shouldNameNoCalendarTimeInVirtualTime() {
    final CsvResult result = CsvResult.of(Scenarios.preemption(), temporary.resolve("out"));

    assertThat(result.request("a"))
        .containsEntry("arrival_unix_ns", "")
        .containsEntry("arrival_iso8601", "");
  }
}
