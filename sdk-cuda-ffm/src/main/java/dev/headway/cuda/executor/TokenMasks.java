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

  /**
   * Takes the masks of an entry as the next ones; returns why they cannot be kept, or null.
   *
   * @param wanted how many there must be: one, and one behind each draft
   */
  @Nullable RuntimeException add(StepPlan plan, int entry, int wanted) {
    final int given = plan.constraints().rows(entry);
    if (given != wanted) {
      return new IllegalArgumentException(
          "an entry must have a mask, and one behind each of its drafts: request='"
              + plan.request(entry).id()
              + "', drafts="
              + (wanted - 1)
              + ", rows="
              + given);
    }
    final int at = rows * words;
    if (data.length < at + wanted * words) {
      data = Arrays.copyOf(data, Math.max(at + wanted * words, 2 * data.length));
    }
    plan.constraints().fill(entry, data, at, words);
    for (int row = 0; row < wanted; row++) {
      if (!TokenMask.allowsAny(data, at + row * words, vocabulary)) {
        return TokenMask.nothingAllowed(vocabulary);
      }
    }
    rows += wanted;
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
