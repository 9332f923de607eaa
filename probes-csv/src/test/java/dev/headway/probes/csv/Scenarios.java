package dev.headway.probes.csv;

/** Small scripts that several tests look at. */
final class Scenarios {

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
  static EventScript preemption() {
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
}
