package dev.headway.cuda.gpu;

import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.TensorSpec;
import dev.headway.executor.model.WeightType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * Weights of any shape at the speed of memory: each tensor is cut out of a few million random
 * numbers of its size, from another place, so that 8B parameters are made in seconds. They have the
 * deviations of {@link Model#random}: activations and logits stay near 1.
 */
final class FastWeights implements ModelWeights {
  private static final int POOL = 1 << 22;
  private static final int PLACES = 8_191;

  private final Map<String, TensorSpec> specs = new HashMap<>();
  private final Map<Float, short[]> pools = new HashMap<>();
  private final ModelConfig config;

  private FastWeights(ModelConfig config) {
    this.config = config;
    ModelLayout.of(config).forEach(spec -> specs.put(spec.name(), spec));
  }

  static Model model(ModelConfig config) {
    return new Model(config, new FastWeights(config));
  }

  @Override
  public WeightType type(String tensor) {
    return WeightType.BF16;
  }

  @Override
  public void read(String tensor, long from, float[] target, int offset, int length) {
    for (int i = 0; i < length; i++) {
      final short[] pool = pool(tensor);
      final short bits = pool[(int) ((first(tensor) + from + i) % pool.length)];
      target[offset + i] = Float.intBitsToFloat(bits << 16);
    }
  }

  @Override
  public void readBf16(String tensor, long from, MemorySegment target, long length) {
    final short[] pool = pool(tensor);
    for (long done = 0; done < length; ) {
      final int at = (int) ((first(tensor) + from + done) % pool.length);
      final int count = (int) Math.min(length - done, pool.length - at);
      MemorySegment.copy(pool, at, target, ValueLayout.JAVA_SHORT, 2 * done, count);
      done += count;
    }
  }

  private static int first(String tensor) {
    return Math.floorMod(tensor.hashCode(), PLACES);
  }

  private short[] pool(String tensor) {
    final TensorSpec spec = specs.get(tensor);
    if (spec == null) {
      throw new IllegalArgumentException("the model must have the tensor: tensor='" + tensor + "'");
    }
    final boolean isVector = spec.shape().size() == 1;
    final float deviation = isVector ? 0 : deviation(spec);
    return pools.computeIfAbsent(deviation, FastWeights::numbers);
  }

  private float deviation(TensorSpec spec) {
    if (spec.name().equals(ModelLayout.outputHead(config))) {
      return (float) (3 / Math.sqrt(config.hiddenSize()));
    }
    return spec.name().equals(ModelLayout.EMBEDDING)
        ? 1
        : (float) (1 / Math.sqrt(spec.shape().get(1)));
  }

  /** Uniform numbers; norms are 1. A length that no row divides. */
  private static short[] numbers(float deviation) {
    final Random random = new Random(Float.floatToIntBits(deviation));
    final short[] numbers = new short[POOL - 3];
    final float width = (float) (deviation * Math.sqrt(3));
    for (int i = 0; i < numbers.length; i++) {
      final float value = deviation == 0 ? 1 : width * (2 * random.nextFloat() - 1);
      numbers[i] = (short) (Float.floatToRawIntBits(value) >>> 16);
    }
    return numbers;
  }

  @Override
  public void close() {}
}
