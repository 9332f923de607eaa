package dev.headway.cuda.executor;

import dev.headway.api.step.TokenLogprobs;
import dev.headway.cuda.kernel.SamplingKernels;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reads what {@link SamplingKernels#logProbabilities} answers for a row. */
final class LogprobAnswer {
  private static final long RANK_AT = 4;
  private static final long TOKENS_AT = 8;
  private static final long LOGPROBS_AT = TOKENS_AT + 4L * SamplingKernels.MAX_TOP;

  private LogprobAnswer() {}

  /**
   * Allocates what the request asked for.
   *
   * @param at byte where the row's answer begins
   * @param top how many of the likeliest tokens it has
   */
  static TokenLogprobs read(MemorySegment answers, long at, int top) {
    final int[] topIds = new int[top];
    final float[] topLogprobs = new float[top];
    MemorySegment.copy(answers, ValueLayout.JAVA_INT, at + TOKENS_AT, topIds, 0, top);
    MemorySegment.copy(answers, ValueLayout.JAVA_FLOAT, at + LOGPROBS_AT, topLogprobs, 0, top);
    return new TokenLogprobs(
        answers.get(ValueLayout.JAVA_FLOAT, at),
        answers.get(ValueLayout.JAVA_INT, at + RANK_AT),
        topIds,
        topLogprobs);
  }
}
