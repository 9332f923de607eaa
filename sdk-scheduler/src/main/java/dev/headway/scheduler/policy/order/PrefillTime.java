package dev.headway.scheduler.policy.order;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.policy.StepView;
import dev.headway.scheduler.policy.tokens.DecodeLoad;
import java.util.Arrays;

/**
 * How long a prompt would take if it began now and had all that decodes leave: full steps of {@code
 * chunk} tokens and one with the rest, {@code chunk = largest budget - decodes}. A lower bound, as
 * prompts share steps.
 *
 * <p>However many prompts wait, the model of step time is asked at most {@value #MOST_PARTS} + 1
 * times in a step: for parts of a chunk, and what lies between two of them is interpolated. That is
 * exact where a step's duration is linear in its tokens. Engine thread only; allocates nothing.
 */
final class PrefillTime {

  private static final int MOST_PARTS = 32;
  private static final long NOT_ASKED = -2;

  private final DecodeLoad decodes = new DecodeLoad();

  /** Durations with the first {@code 0, 1, 2...} parts of a chunk, the last part is shorter. */
  private final long[] knownNs = new long[MOST_PARTS + 1];

  private int chunk;

  /** A part has 2 to this power tokens. */
  private int shift;

  private int parts;

  /** Measures what runs; O(running). */
  void measure(StepView step) {
    decodes.measure(step);
    chunk = Math.max(1, DecodeLoad.largestBudget(step.config()) - decodes.seqs());
    shift = Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros((chunk - 1) / MOST_PARTS));
    parts = ((chunk - 1) >> shift) + 1;
    Arrays.fill(knownNs, NOT_ASKED);
  }

  /**
   * Predicts the time for {@code tokens}, in ns; {@link dev.headway.api.Absent#ABSENT} without a
   * model.
   */
  long ofNs(int tokens, StepView step) {
    if (tokens < chunk) {
      return restNs(tokens, step);
    }
    final long fullNs = knownNs(parts, step);
    final long restNs = restNs(tokens % chunk, step);
    return fullNs == ABSENT || restNs == ABSENT ? ABSENT : tokens / chunk * fullNs + restNs;
  }

  private long restNs(int tokens, StepView step) {
    if (tokens == 0) {
      return 0;
    }
    final int part = tokens >> shift;
    final int from = tokensOf(part);
    final long fromNs = knownNs(part, step);
    if (tokens == from || fromNs == ABSENT) {
      return fromNs;
    }
    final long toNs = knownNs(part + 1, step);
    return toNs == ABSENT
        ? ABSENT
        : fromNs + (toNs - fromNs) * (tokens - from) / (tokensOf(part + 1) - from);
  }

  private long knownNs(int part, StepView step) {
    if (knownNs[part] == NOT_ASKED) {
      knownNs[part] = decodes.estimateNs(tokensOf(part), step);
    }
    return knownNs[part];
  }

  /** Not 0 for the first: a step without a prompt may be of another kind. */
  private int tokensOf(int part) {
    return part == 0 ? 1 : Math.min(part << shift, chunk);
  }
}
