package dev.headway.executor.model;

/**
 * How a checkpoint wants the inputs of a quantised matrix to be rounded to {@link E4m3} before they
 * are multiplied. An executor that leaves them as they are is nearer to the model that was
 * quantised; one that multiplies eight-bit floats must round them so.
 *
 * <p>Rounded is {@code E4m3(x / scale) * scale}.
 */
public sealed interface InputQuantization {

  /**
   * The least scale that is computed from inputs, so that zeros can be divided by it: that of
   * vLLM's kernels, {@code 1 / (448 * 512)}.
   */
  float LEAST_SCALE = 1 / (E4m3.MAX * 512);

  /** They stay as they are. */
  record None() implements InputQuantization {}

  /**
   * By one scale, found when the checkpoint was made.
   *
   * @param scale finite, above zero
   */
  record Static(float scale) implements InputQuantization {}

  /** By the largest magnitude of each token's inputs, divided by 448. */
  record PerToken() implements InputQuantization {}

  /**
   * By the largest magnitude of each group of a token's inputs, divided by 448.
   *
   * @param columns inputs of a group, >= 1; the last group may have fewer
   */
  record PerGroup(int columns) implements InputQuantization {}

  /** The scale of inputs whose largest magnitude is this. */
  static float scaleOf(float largest) {
    return Math.max(largest / E4m3.MAX, LEAST_SCALE);
  }
}
