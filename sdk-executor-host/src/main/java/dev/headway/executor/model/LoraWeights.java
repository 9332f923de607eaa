package dev.headway.executor.model;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The matrices of a LoRA adapter in memory, as floats, for one shape of model. Immutable; any
 * thread.
 */
public final class LoraWeights {

  private final List<Map<LoraTarget, LoraDelta>> layers;
  private final int rank;
  private final float scale;

  /** Takes the matrices of each layer. */
  LoraWeights(List<Map<LoraTarget, LoraDelta>> layers, int rank, float scale) {
    this.layers = layers.stream().<Map<LoraTarget, LoraDelta>>map(EnumMap::new).toList();
    this.rank = rank;
    this.scale = scale;
  }

  /**
   * Reads a folder that PEFT wrote: {@code adapter_config.json} and {@code
   * adapter_model.safetensors}.
   *
   * @param config of the model that it is for
   * @throws ModelFormatException if it is for another shape, or does what is not supported; names
   *     the field or the tensor
   */
  public static LoraWeights load(Path directory, ModelConfig config) {
    return LoraReader.read(directory, config);
  }

  /** What it adds to a matrix; null if nothing. */
  public @Nullable LoraDelta delta(int layer, LoraTarget target) {
    return layers.get(layer).get(target);
  }

  /** Elements between the two matrices of each of its deltas. */
  public int rank() {
    return rank;
  }

  /** What the elements between the two are multiplied by. */
  public float scale() {
    return scale;
  }

  /** Layers of the model that it is for. */
  public int layers() {
    return layers.size();
  }
}
