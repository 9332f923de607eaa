package dev.headway.executor.reference;

import dev.headway.executor.model.ExpertsShape;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mixture of experts: {@code sum of weight(e) * expert(e, x)} over a token's experts in their
 * order, then plus the shared experts. Token after token, so that each is a sequence of float
 * operations of its own.
 *
 * <p>With {@link Precision#BFLOAT16} the output of each expert is rounded, as is that of the shared
 * experts; the router's logits and weights and the sums are floats.
 */
final class ExpertsFeedForward implements FeedForward {

  private final Linear router;
  private final float[] correction;
  private final ExpertChoice choice;
  private final List<FeedForward> experts;
  private final @Nullable FeedForward shared;
  private final Precision precision;
  private final BitSet activated = new BitSet();
  private final float[] logits;
  private final float[] input;
  private final float[] output;

  /**
   * Takes the parts of a layer.
   *
   * @param hiddenSize elements of a token's hidden state
   * @param correction as {@link ExpertChoice#choose} reads it
   * @param shared what all tokens have beside, if there is any
   */
  ExpertsFeedForward(
      ExpertsShape shape,
      int hiddenSize,
      Linear router,
      float[] correction,
      List<FeedForward> experts,
      @Nullable FeedForward shared,
      Precision precision) {
    this.router = router;
    this.correction = correction;
    this.choice = new ExpertChoice(shape);
    this.experts = List.copyOf(experts);
    this.shared = shared;
    this.precision = precision;
    this.logits = new float[shape.experts()];
    this.input = new float[hiddenSize];
    this.output = new float[hiddenSize];
  }

  @Override
  public void apply(float[] normed, int rows, float[] added) {
    activated.clear();
    for (int row = 0; row < rows; row++) {
      final int at = row * input.length;
      System.arraycopy(normed, at, input, 0, input.length);
      apply(added, at);
    }
  }

  @Override
  public int activated() {
    return activated.cardinality();
  }

  private void apply(float[] added, int at) {
    router.apply(input, 1, logits);
    choice.choose(logits, 0, correction);
    for (int i = 0; i < input.length; i++) {
      added[at + i] = 0;
    }
    for (int slot = 0; slot < choice.count(); slot++) {
      activated.set(choice.expert(slot));
      addWeighted(experts.get(choice.expert(slot)), choice.weight(slot), added, at);
    }
    if (shared != null) {
      addWeighted(shared, 1, added, at);
    }
  }

  private void addWeighted(FeedForward expert, float weight, float[] added, int at) {
    expert.apply(input, 1, output);
    precision.round(output, output.length);
    for (int i = 0; i < output.length; i++) {
      added[at + i] += weight * output[i];
    }
  }
}
