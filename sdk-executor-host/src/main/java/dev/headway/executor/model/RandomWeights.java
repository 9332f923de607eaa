package dev.headway.executor.model;

import dev.headway.api.internal.SplitMix64;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Weights that are a function of seed, tensor name and index: made when read, never stored.
 *
 * <p>Values are uniform with a standard deviation that keeps activations and logits near 1: {@code
 * 1 / sqrt(inputs)} in matrices, 3 times that where logits are made and twice in a router, so that
 * some tokens and experts are clearly likelier than others; 1 in a separate embedding; norms around
 * 1, or around 0 where files hold them less one.
 */
final class RandomWeights implements ModelWeights {

  private static final float HALF_WIDTH_OF_UNIT_DEVIATION = (float) Math.sqrt(3);
  private static final float LOGIT_SCALE = 3;
  private static final float ROUTER_SCALE = 2;

  /** Value = centre + halfWidth * uniform in [-1, 1). */
  private record Source(TensorSpec spec, long key, float centre, float halfWidth) {}

  private final WeightType type;
  private final Map<String, Source> sources = new HashMap<>();

  RandomWeights(ModelConfig config, long seed, WeightType type) {
    this.type = type;
    for (TensorSpec spec : ModelLayout.of(config)) {
      final long key = mix(seed + SplitMix64.GOLDEN_GAMMA * spec.name().hashCode());
      final boolean isNorm = spec.name().endsWith("norm.weight");
      final float width = HALF_WIDTH_OF_UNIT_DEVIATION * deviation(spec, config);
      sources.put(
          spec.name(), new Source(spec, key, isNorm ? 1 - config.family().normOffset() : 0, width));
    }
  }

  private static float deviation(TensorSpec spec, ModelConfig config) {
    if (spec.shape().size() == 1) {
      return 0.1f; // norms and biases
    }
    if (spec.name().equals(ModelLayout.outputHead(config))) {
      return (float) (LOGIT_SCALE / Math.sqrt(config.hiddenSize()));
    }
    if (spec.name().endsWith(ModelLayout.ROUTER)) {
      return (float) (ROUTER_SCALE / Math.sqrt(config.hiddenSize()));
    }
    if (spec.name().equals(ModelLayout.EMBEDDING)) {
      return 1;
    }
    return (float) (1 / Math.sqrt(spec.shape().get(1)));
  }

  @Override
  public WeightType type(String tensor) {
    source(tensor);
    return type;
  }

  @Override
  public void read(String tensor, long from, float[] target, int offset, int length) {
    final Source source = source(tensor);
    Objects.checkFromIndexSize(from, length, source.spec().elements());
    Objects.checkFromIndexSize(offset, length, target.length);
    fill(source.key() + SplitMix64.GOLDEN_GAMMA * from, source, target, offset, length);
    type.round(target, offset, length);
  }

  private static void fill(long first, Source source, float[] target, int offset, int length) {
    final float centre = source.centre();
    final float halfWidth = source.halfWidth();
    for (int i = 0; i < length; i++) {
      final float uniform = (mix(first + SplitMix64.GOLDEN_GAMMA * i) >> 40) * 0x1p-23f;
      target[offset + i] = centre + halfWidth * uniform;
    }
  }

  private Source source(String tensor) {
    final Source source = sources.get(tensor);
    if (source == null) {
      throw new IllegalArgumentException("the model must have the tensor: tensor='" + tensor + "'");
    }
    return source;
  }

  /** One step. */
  private static long mix(long value) {
    return SplitMix64.mix(value + SplitMix64.GOLDEN_GAMMA);
  }

  @Override
  public void close() {}
}
