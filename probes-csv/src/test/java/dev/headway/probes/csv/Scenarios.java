package dev.headway.probes.csv;

import java.util.Map;

/** Small scripts that several tests look at. */
public final class Scenarios {

  private Scenarios() {}

  /**
   * Three requests: {@code a} runs and ends, {@code b} is preempted for it and resumes with lost
   * blocks, {@code c} waits behind and is aborted; one more is rejected.
   *
   * <pre>
   * step 1 [100,110) admits a in two chunks; b and c wait behind the token budget
   * step 2 [200,212) a's second chunk; b is admitted
   * step 3 [300,305) a needs a block: b gives way; c is aborted at 330
   * step 4 [400,401) a ends; b is head and has no memory
   * step 5 [500,506) b resumes, computes everything again in two chunks
   * step 6 [600,603) b ends
   * </pre>
   */
  public static EventScript preemption() {
    final StepScript first =
        new StepScript(1, 100, 110)
            .entry(0, 32, 0, false, 2, 2)
            .counts(1, 2, 0, 98)
            .done(112, 150, 160, 0);
    final StepScript second =
        new StepScript(2, 200, 212)
            .entry(0, 16, 32, true, 3, 1)
            .entry(1, 16, 0, true, 1, 1)
            .counts(2, 1, 0, 96)
            .forward(30)
            .done(213, 250, 260, 1, 1);
    final StepScript third =
        new StepScript(3, 300, 305)
            .entry(0, 1, 48, true, 4, 1)
            .counts(1, 2, 1, 96)
            .done(306, 320, 325, 1);
    final StepScript fourth =
        new StepScript(4, 400, 401)
            .entry(0, 1, 49, true, 4, 0)
            .counts(1, 1, 1, 96)
            .done(402, 420, 425, 1);
    final StepScript fifth =
        new StepScript(5, 500, 506)
            .entry(1, 10, 0, false, 1, 1)
            .counts(1, 0, 0, 99)
            .done(507, 520, 525, 0);
    final StepScript sixth =
        new StepScript(6, 600, 603)
            .entry(1, 7, 10, true, 2, 1)
            .counts(1, 0, 0, 98)
            .done(604, 620, 625, 1);
    return EventScript.full()
        .queued(0, "a", 10, 20, 48)
        .queued(1, "b", 30, 40, 16, 3, "acme")
        .rejected("big", 45, "kv_cache_too_small", "needs 200 blocks, has 100")
        .queued(2, "c", 50, 60, 40)
        .admitted(1, 0, 0)
        .closed(1, "max_num_batched_tokens", -1)
        .planned(first)
        .completed(first)
        .kvStored(0, 0xabcL, -1L)
        .admitted(2, 1, 0)
        .closed(2, "chunked_prefill", -1)
        .planned(second)
        .firstToken(2, 0, 250)
        .firstToken(2, 1, 250)
        .completed(second)
        .kvRemoved(0x77)
        .preempted(3, 1, "kv_blocks", 0, 16, 1)
        .blocked(3, 1, "preempted", 0, 0, 0)
        .closed(3, "preemption_in_step", -1)
        .planned(third)
        .completed(third)
        .finished(3, 2, "abort", 0, 330)
        .unblocked(4, 1)
        .blocked(4, 1, "memory_insufficient", -1, 2, 1)
        .closed(4, "head_of_line", 1)
        .planned(fourth)
        .finished(4, 0, "length", 4, 420)
        .completed(fourth)
        .resumed(5, 1, 0, 16)
        .planned(fifth)
        .completed(fifth)
        .planned(sixth)
        .finished(6, 1, "stop", 2, 620)
        .completed(sixth)
        .runEnded(700);
  }

  /**
   * A policy ranks three requests; {@code late} is passed over twice and then first.
   *
   * <pre>
   * step 1 admits quick, leaves no budget
   * step 2 admits short, leaves no budget
   * step 3 admits late, which ends in step 4
   * </pre>
   */
  public static EventScript ranked() {
    final StepScript first =
        new StepScript(1, 1_000, 2_000)
            .entry(1, 16, 0, true, 1, 1)
            .counts(1, 2, 0, 99)
            .done(2_100, 9_000_000, 9_100_000, 1);
    final StepScript second =
        new StepScript(2, 9_200_000, 9_210_000)
            .entry(2, 16, 0, true, 1, 1)
            .counts(1, 1, 0, 99)
            .done(9_220_000, 18_000_000, 18_100_000, 1);
    final StepScript third =
        new StepScript(3, 18_200_000, 18_210_000)
            .entry(0, 16, 0, true, 1, 1)
            .counts(1, 0, 0, 99)
            .done(18_220_000, 30_000_000, 30_100_000, 1);
    final StepScript fourth =
        new StepScript(4, 30_200_000, 30_210_000)
            .entry(0, 1, 16, true, 2, 1)
            .counts(1, 0, 0, 98)
            .done(30_220_000, 36_000_000, 36_100_000, 1);
    return new EventScript()
        .run("debug", Map.of("maxNumBatchedTokens", "16", "maxNumSeqs", "8"))
        .journey("late", "arrived", 90)
        .journey("late", "tokenize_ended", 95)
        .queued(0, "late", 100, 200, 16)
        .queued(1, "quick", 300, 400, 16)
        .queued(2, "short", 500, 600, 16)
        .journey("late", "handoff_to_core", 700)
        .scored(1, 0, 7.5)
        .scored(1, 1, 0.25)
        .scored(1, 2, 1.5)
        .admitted(1, 1, 0)
        .closed(1, "max_num_batched_tokens", -1)
        .planned(first)
        .firstToken(1, 1, 9_000_000)
        .finished(1, 1, "stop", 1, 9_000_000)
        .completed(first)
        .scored(2, 0, 6.5)
        .scored(2, 2, 1.5)
        .admitted(2, 2, 0)
        .planned(second)
        .firstToken(2, 2, 18_000_000)
        .finished(2, 2, "stop", 1, 18_000_000)
        .completed(second)
        .scored(3, 0, 5.5)
        .admitted(3, 0, 8)
        .planned(third)
        .firstToken(3, 0, 30_000_000)
        .completed(third)
        .planned(fourth)
        .finished(4, 0, "length", 2, 36_000_000)
        .completed(fourth)
        .journey("late", "departed", 36_200_000)
        .runEnded(37_000_000);
  }

  /** What a journal of level summary keeps of {@link #preemption}'s {@code b}. */
  public static EventScript summary() {
    final StepScript first =
        new StepScript(1, 200, 212).withoutEntries(1).counts(1, 0, 0, 98).done(213, 250, 260);
    final StepScript second =
        new StepScript(2, 300, 312).withoutEntries(1).counts(1, 0, 0, 98).done(313, 350, 360);
    return new EventScript()
        .run("summary", Map.of("queuePolicy", "FCFS"))
        .queued(1, "b", 30, 40, 16)
        .admitted(1, 1, 0)
        .planned(first)
        .firstToken(1, 1, 250)
        .completed(first)
        .planned(second)
        .finished(2, 1, "stop", 2, 350)
        .completed(second)
        .runEnded(400);
  }

  /**
   * {@code last} stands behind {@code big}, then behind {@code second}; then it runs, is stalled
   * for a step, and its output is late.
   */
  public static EventScript behindAHead() {
    final EventScript script =
        new EventScript()
            .run("full", Map.of("maxNumSeqs", "8", "maxNumBatchedTokens", "2048"))
            .queued(0, "big", 0, 1_000, 400)
            .queued(1, "second", 0, 1_500, 300)
            .queued(2, "last", 500, 2_000, 20, 3, "acme");
    final StepScript first =
        new StepScript(1, 10_000, 20_000).counts(0, 3, 0, 10).done(20_000, 20_000, 21_000);
    script
        .blocked(1, 0, "full_sequence_reserve", -1, 25, 10)
        .closed(1, "head_of_line", 0)
        .planned(first)
        .completed(first.notExecuted());
    final StepScript second =
        new StepScript(2, 1_000_000, 1_020_000)
            .counts(0, 2, 0, 10)
            .done(1_020_000, 1_020_000, 1_021_000);
    script
        .finished(1, 0, "abort", 0, 900_000)
        .blocked(2, 1, "memory_insufficient", -1, 19, 10)
        .closed(2, "head_of_line", 1)
        .planned(second)
        .completed(second.notExecuted());
    final StepScript third =
        new StepScript(3, 5_000_000, 5_010_000)
            .entry(2, 20, 0, true, 2, 2)
            .counts(1, 0, 0, 8)
            .done(5_020_000, 9_000_000, 9_100_000, 1);
    script
        .finished(2, 1, "abort", 0, 4_000_000)
        .admitted(3, 2, 0)
        .planned(third)
        .firstToken(3, 2, 9_000_000)
        .completed(third);
    long nowNs = 9_100_000;
    for (int step = 4; step <= 9; step++) {
      final boolean stalled = step == 6;
      final StepScript next = new StepScript(step, nowNs, nowNs + 10_000).counts(1, 0, 0, 8);
      if (stalled) {
        script.blocked(step, 2, "stalled", -1, 1, 0);
        next.done(nowNs + 10_000, nowNs + 10_000, nowNs + 11_000);
      } else {
        next.entry(2, 1, 16 + step, true, 2, 0)
            .done(nowNs + 20_000, nowNs + 3_000_000, nowNs + 3_100_000, 1);
      }
      if (step == 7) {
        script.unblocked(step, 2);
      }
      script.planned(next);
      if (step == 9) {
        script.finished(step, 2, "length", 2, nowNs + 3_000_000);
      }
      script.completed(next);
      nowNs += stalled ? 20_000_000 : 3_100_000;
    }
    return script.runEnded(nowNs);
  }
}
