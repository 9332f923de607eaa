package dev.headway.cuda.executor;

import dev.headway.api.step.StepPlan;
import dev.headway.api.step.TokenConstraints;
import dev.headway.executor.sampling.TokenMask;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The masks of a step's grammars, one after the other, as {@code StepPlan.constraints} fills them.
 * Engine thread fills it, the device thread reads it afterwards. Allocates nothing once it has
 * grown.
 */
final class TokenMasks {
  private final int vocabulary;
  private final int words;
  private int rows;
  private int[] data = {};

  TokenMasks(int vocabulary) {
    this.vocabulary = vocabulary;
    words = TokenConstraints.wordsPerRow(vocabulary);
  }

  void clear() {
    rows = 0;
  }

  /** Takes the mask of an entry as the next one; returns why it cannot be kept, or null. */
  @Nullable RuntimeException add(StepPlan plan, int entry) {
    final int given = plan.constraints().rows(entry);
    if (given != 1) {
      return new IllegalArgumentException(
          "an entry without drafts must have one mask: request='"
              + plan.request(entry).id()
              + "', rows="
              + given);
    }
    final int at = rows * words;
    if (data.length < at + words) {
      data = Arrays.copyOf(data, Math.max(at + words, 2 * data.length));
    }
    plan.constraints().fill(entry, data, at, words);
    if (!TokenMask.allowsAny(data, at, vocabulary)) {
      return TokenMask.nothingAllowed(vocabulary);
    }
    rows++;
    return null;
  }

  int rows() {
    return rows;
  }

  /** Words of all masks. */
  int size() {
    return rows * words;
  }

  /** The masks; the first {@link #size} words count. */
  int[] data() {
    return data;
  }
}
