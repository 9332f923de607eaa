package dev.headway.cuda.executor;

import dev.headway.cuda.kernel.PageScales;
import dev.headway.executor.model.EightBitKv;
import dev.headway.executor.model.KvScale;
import dev.headway.executor.model.Model;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How the keys and values of each layer lie in their pages. Immutable.
 *
 * @param type what they are kept as
 * @param scales by layer; empty if they have none
 * @param words what they are kept as and multiplied by, for people
 */
record PageFormat(KvCacheType type, List<PageScales> scales, String words) {

  /**
   * The pages of a model, with the scales that its checkpoint brings.
   *
   * @throws IllegalArgumentException if the checkpoint has scales that no kernel takes; says which
   */
  static PageFormat of(KvCacheType type, Model model) {
    final EightBitKv kv = model.weights().eightBitKv();
    final int layers = model.config().layers();
    if (type == KvCacheType.BF16) {
      final boolean isUsed = kv.equals(EightBitKv.NONE);
      return new PageFormat(
          type,
          List.of(),
          isUsed ? "bfloat16" : "bfloat16; of the checkpoint: " + kv.describe(layers));
    }
    KvCacheType.requireScales(kv);
    return new PageFormat(
        type,
        IntStream.range(0, layers).mapToObj(layer -> scales(layer, kv.of(layer))).toList(),
        kv.scales().isEmpty()
            ? "fp8_e4m3, scale 1: the checkpoint has no scales, and what is beyond 448 becomes that"
            : "fp8_e4m3; of the checkpoint: " + kv.describe(layers));
  }

  private static PageScales scales(int layer, KvScale scale) {
    try {
      return new PageScales(scale.keys(), scale.values());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "layer " + layer + " of the checkpoint: " + e.getMessage() + KvCacheType.OTHERWISE, e);
    }
  }

  /** The scales of a layer; null if its pages have none. */
  @Nullable PageScales of(int layer) {
    return scales.isEmpty() ? null : scales.get(layer);
  }
}
