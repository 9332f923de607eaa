package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.regression.Feature;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Columns that bend a sum of operators to a machine: a constant for each class of decodes, what the
 * longest context among them adds, more from class to class, and what tokens add beside prefills,
 * from one size to the next. All but the constants add, so that within a class more work never
 * takes less.
 *
 * <p>An executor cuts contexts into fewer parts the more of them there are, so that at last one
 * part of the device walks the longest alone, while the sum of the contexts says what the memory
 * has to read.
 *
 * <p>Any thread; allocates nothing once made.
 */
final class Pieces {

  /** Tokens from which a piece begins; it ends at twice as many. */
  private static final int[] TOKENS = {64, 128, 256, 512, 1_024, 2_048, 4_096};

  private final RowClasses classes;

  Pieces(RowClasses classes) {
    this.classes = classes;
  }

  /** How many columns there are. */
  int count() {
    return 4 + TOKENS.length + 2 * classes.size();
  }

  /** Names the columns, from {@code column} on. */
  void name(Feature[] into, int column) {
    int at = column;
    into[at++] = Feature.added("token", "tokens");
    into[at++] = Feature.added("with_prefill", "");
    into[at++] = Feature.added("prefill_request", "requests");
    into[at++] = Feature.added("prefill_context", "tokens");
    for (int from : TOKENS) {
      into[at++] = Feature.added("tokens_from_" + from + "_with_prefill", "tokens");
    }
    for (int i = 0; i < classes.size(); i++) {
      into[at++] = Feature.free("decodes_" + classes.name(i), "");
    }
    for (int i = 0; i < classes.size(); i++) {
      into[at++] = Feature.added("longest_context_of_decodes_" + classes.from(i), "tokens");
    }
  }

  /** Fills the columns, from {@code column} on. */
  void fill(StepFeatures step, double[] into, int column) {
    int at = column;
    final boolean hasPrefill = step.prefillRequests() > 0;
    into[at++] = (double) step.totalTokens();
    into[at++] = hasPrefill ? 1 : 0;
    into[at++] = step.prefillRequests();
    into[at++] = (double) step.prefillContextTokens();
    for (int from : TOKENS) {
      into[at++] = hasPrefill ? Math.clamp(step.totalTokens() - from, 0, from) : 0;
    }
    final int own = step.decodeRequests() == 0 ? -1 : classes.of(step.decodeRequests());
    for (int i = 0; i < classes.size(); i++) {
      into[at++] = i == own && !hasPrefill ? 1 : 0;
    }
    for (int i = 0; i < classes.size(); i++) {
      into[at++] = i <= own ? step.longestDecodeContext() : 0;
    }
  }

  /**
   * Gives classes that no row was of the constant of the nearest below, or else above.
   *
   * @param column of the first piece
   * @param isSeen whether rows had something in a column
   */
  void fillUnseen(double[] coefficients, int column, IntPredicate isSeen) {
    final int constants = column + count() - 2 * classes.size();
    for (int i = 0; i < classes.size(); i++) {
      final int nearest = nearest(i, own -> isSeen.test(constants + own));
      if (nearest >= 0) {
        coefficients[constants + i] = coefficients[constants + nearest];
      }
    }
  }

  private int nearest(int index, IntPredicate isSeen) {
    for (int below = index; below >= 0; below--) {
      if (isSeen.test(below)) {
        return below;
      }
    }
    return IntStream.range(index, classes.size()).filter(isSeen).findFirst().orElse(-1);
  }
}
