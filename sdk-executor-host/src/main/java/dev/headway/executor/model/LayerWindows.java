package dev.headway.executor.model;

import java.util.Collections;
import java.util.List;

/**
 * Which layers attend to the last tokens only. A token at position {@code p} of a layer with window
 * {@code w} attends to the positions {@code > p - w} up to its own, itself included.
 *
 * <p>Source: {@code sliding_window_overlay} of {@code masking_utils.py} in transformers.
 *
 * @param tokens of each layer's window, 0 for a layer that attends to the whole context; empty if
 *     all do
 */
public record LayerWindows(List<Integer> tokens) {

  /** All layers attend to the whole context. */
  public static final LayerWindows NONE = new LayerWindows(List.of());

  /** Validates the windows. Lists of zeros become {@link #NONE}. */
  public LayerWindows {
    for (int window : tokens) {
      if (window < 0) {
        throw new IllegalArgumentException("sliding_window must be >= 1: sliding_window=" + window);
      }
    }
    tokens = tokens.stream().allMatch(window -> window == 0) ? List.of() : List.copyOf(tokens);
  }

  /**
   * One window for all layers.
   *
   * @param window in tokens, >= 1
   */
  public static LayerWindows all(int layers, int window) {
    return new LayerWindows(Collections.nCopies(layers, window));
  }

  /** The window of a layer, in tokens; 0 if it attends to the whole context. */
  public int windowOf(int layer) {
    return tokens.isEmpty() ? 0 : tokens.get(layer);
  }

  void requireLayers(int layers) {
    if (!tokens.isEmpty() && tokens.size() != layers) {
      throw new IllegalArgumentException(
          "windows must be given for each layer: windows="
              + tokens.size()
              + ", num_hidden_layers="
              + layers);
    }
  }
}
