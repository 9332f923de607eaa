package dev.headway.executor.model;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

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

  /** By which scales, in words; empty if they stay as they are. */
  default String words() {
    return switch (this) {
      case None none -> "";
      case Static fixed -> "by a fixed scale";
      case PerToken token -> "per token";
      case PerGroup group -> "per group of " + group.columns();
    };
  }

  /**
   * What a model's checkpoint asks for, for people: {@code inputs of 224 matrices in fp8_e4m3, per
   * token}. Empty if it asks for nothing.
   */
  static String describe(Model model) {
    final Map<String, Integer> matrices = new TreeMap<>();
    for (TensorSpec tensor : ModelLayout.of(model.config())) {
      model
          .weights()
          .quantized(tensor.name())
          .map(matrix -> matrix.inputs().words())
          .filter(words -> !words.isEmpty())
          .ifPresent(words -> matrices.merge(words, 1, Integer::sum));
    }
    return matrices.entrySet().stream()
        .map(by -> "inputs of " + by.getValue() + " matrices in fp8_e4m3, " + by.getKey())
        .collect(Collectors.joining("; "));
  }

  /** The scale of inputs whose largest magnitude is this. */
  static float scaleOf(float largest) {
    return Math.max(largest / E4m3.MAX, LEAST_SCALE);
  }
}
