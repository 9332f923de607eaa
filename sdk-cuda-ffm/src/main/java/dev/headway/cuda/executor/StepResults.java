package dev.headway.cuda.executor;

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
  long memoryUsedBytes;
  long utilizationPermille;

  StepResults(int maxNumSeqs, int vocabularySize) {
    tokens = new int[maxNumSeqs];
    notFinite = new int[maxNumSeqs];
    notFiniteLogits = new float[maxNumSeqs];
    logprobs = new TokenLogprobs[maxNumSeqs];
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
    for (int entry = 0; entry < plan.entries.size(); entry++) {
      final int sample = plan.sampleOf(entry);
      if (plan.entries.logprobsOnDevice(entry) && hasToken(sample)) {
        final int top = plan.entries.sampling(entry).logprobs().getAsInt();
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
    for (int entry = 0; entry < plan.entries.size(); entry++) {
      if (plan.entries.logprobsOnHost(entry)) {
        final int sample = plan.sampleOf(entry);
        MemorySegment.copy(rawLogits, ValueLayout.JAVA_FLOAT, from, rawRow, 0, rawRow.length);
        from += rowBytes();
        if (hasToken(sample)) {
          final int top = plan.entries.sampling(entry).logprobs().getAsInt();
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
    for (int entry = 0; entry < plan.entries.size(); entry++) {
      final RuntimeException refusal = plan.entries.refusal(entry);
      if (refusal != null) {
        output.fail(entry, refusal);
      } else if (plan.entries.answers(entry)) {
        answer(plan, entry, plan.sampleOf(entry), output);
      }
    }
    output.timing(packNs + uploadNs, forwardNs, sampleNs);
    output.firstOfKind(firstOfKind);
    output.device(memoryUsedBytes, utilizationPermille);
  }

  private void answer(BatchPlan plan, int entry, int sample, StepOutput output) {
    if (notFinite[sample] >= 0) {
      output.fail(
          entry,
          new ArithmeticException(
              "logits must be finite: tokenId="
                  + notFinite[sample]
                  + ", logit="
                  + notFiniteLogits[sample]
                  + ", position="
                  + plan.entries.nextPosition(entry)
                  + "; the weights overflow or KV was read before it was written"));
      return;
    }
    if (tokens[sample] == SamplingKernels.NO_TOKEN) {
      output.fail(entry, TokenRules.nothingLeft(plan.entries.nextPosition(entry)));
      return;
    }
    final TokenLogprobs told = plan.entries.wantsLogprobs(entry) ? logprobs[sample] : null;
    if (told != null) {
      output.addToken(entry, tokens[sample], told);
    } else {
      output.addToken(entry, tokens[sample]);
    }
  }
}
