package dev.headway.cuda.executor;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.step.StepOutput;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.cuda.kernel.SamplingKernels;
import dev.headway.executor.sampling.Logprobs;
import dev.headway.executor.sampling.TokenRules;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a step answered, on the heap. The device thread fills it, then the engine thread reads it.
 * Allocates nothing but the log-probabilities that were asked for, once its arrays have grown.
 */
final class StepResults {
  private final int[] tokens;
  private final int[] notFinite;
  private final float[] notFiniteLogits;
  private final float[] rawRow;
  private @Nullable TokenLogprobs[] logprobs;

  long packNs;
  long uploadNs;
  long forwardNs;
  long sampleNs;
  boolean firstOfKind;
  long activatedExperts = ABSENT;
  long memoryUsedBytes;
  long utilizationPermille;

  StepResults(int maxSamples, int vocabularySize) {
    tokens = new int[maxSamples];
    notFinite = new int[maxSamples];
    notFiniteLogits = new float[maxSamples];
    logprobs = new TokenLogprobs[maxSamples];
    rawRow = new float[vocabularySize];
  }

  /** Bytes of a row of logits. */
  long rowBytes() {
    return (long) Float.BYTES * rawRow.length;
  }

  /** Copies tokens, and which logits were no numbers, by sample. */
  void read(BatchPlan plan, MemorySegment answers) {
    final int samples = plan.entries.answering();
    MemorySegment.copy(answers, ValueLayout.JAVA_INT, 0, tokens, 0, samples);
    MemorySegment.copy(answers, ValueLayout.JAVA_INT, 4L * samples, notFinite, 0, samples);
    MemorySegment.copy(answers, ValueLayout.JAVA_FLOAT, 8L * samples, notFiniteLogits, 0, samples);
  }

  /** Takes the log-probabilities that the device computed, by sample. */
  void readLogprobs(BatchPlan plan, MemorySegment answers) {
    Arrays.fill(logprobs, null);
    for (int lane = 0; lane < plan.entries.size(); lane++) {
      final int sample = plan.sampleOf(lane);
      if (plan.entries.logprobsOnDevice(lane) && hasToken(sample)) {
        final int top = plan.entries.sampling(lane).logprobs().getAsInt();
        logprobs[sample] =
            LogprobAnswer.read(
                answers,
                (long) sample * SamplingKernels.LOGPROB_ANSWER_BYTES,
                Math.min(top, rawRow.length));
      }
    }
  }

  /** Computes log-probabilities from the raw logits of the entries that need it, in order. */
  void computeLogprobs(BatchPlan plan, MemorySegment rawLogits) {
    long from = 0;
    for (int lane = 0; lane < plan.entries.size(); lane++) {
      if (plan.entries.logprobsOnHost(lane)) {
        final int sample = plan.sampleOf(lane);
        MemorySegment.copy(rawLogits, ValueLayout.JAVA_FLOAT, from, rawRow, 0, rawRow.length);
        from += rowBytes();
        if (hasToken(sample)) {
          final int top = plan.entries.sampling(lane).logprobs().getAsInt();
          logprobs[sample] = Logprobs.of(rawRow, tokens[sample], top);
        }
      }
    }
  }

  private boolean hasToken(int sample) {
    return notFinite[sample] < 0 && tokens[sample] != SamplingKernels.NO_TOKEN;
  }

  /** Fills the output of the step. */
  void answer(BatchPlan plan, StepOutput output) {
    final BatchEntries entries = plan.entries;
    for (int lane = 0; lane < entries.size(); lane++) {
      final RuntimeException refusal = entries.refusal(lane);
      if (refusal != null) {
        output.fail(entries.entryOf(lane), refusal);
      } else if (entries.answers(lane) && entries.draftsBefore(lane) == 0) {
        answerFrom(plan, lane, output);
      }
    }
    output.timing(packNs + uploadNs, forwardNs, sampleNs);
    output.firstOfKind(firstOfKind);
    if (activatedExperts != ABSENT) {
      output.activatedExperts(activatedExperts);
    }
    output.device(memoryUsedBytes, utilizationPermille);
  }

  /** One token, and one more behind each draft that is what was sampled in its place. */
  private void answerFrom(BatchPlan plan, int first, StepOutput output) {
    int lane = first;
    while (answer(plan, lane, plan.sampleOf(lane), output)
        && plan.entries.follows(lane + 1, tokens[plan.sampleOf(lane)])) {
      lane++;
    }
  }

  /** Returns whether a token was answered; otherwise the entry has failed. */
  private boolean answer(BatchPlan plan, int lane, int sample, StepOutput output) {
    final int entry = plan.entries.entryOf(lane);
    if (notFinite[sample] >= 0) {
      output.fail(
          entry,
          new ArithmeticException(
              "logits must be finite: tokenId="
                  + notFinite[sample]
                  + ", logit="
                  + notFiniteLogits[sample]
                  + ", position="
                  + plan.entries.nextPosition(lane)
                  + "; the weights overflow or KV was read before it was written"));
      return false;
    }
    if (tokens[sample] == SamplingKernels.NO_TOKEN) {
      output.fail(entry, TokenRules.nothingLeft(plan.entries.nextPosition(lane)));
      return false;
    }
    final TokenLogprobs ofToken = plan.entries.wantsLogprobs(lane) ? logprobs[sample] : null;
    if (ofToken != null) {
      output.addToken(entry, tokens[sample], ofToken);
    } else {
      output.addToken(entry, tokens[sample]);
    }
    return true;
  }
}
