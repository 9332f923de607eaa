package dev.headway.cuda.executor;

import dev.headway.executor.model.EightBitKv;
import dev.headway.executor.model.Model;

/** What a key or value is kept as on the device. */
public enum KvCacheType {
  /** As it is computed. */
  BF16(2),
  /**
   * Over the scale that the checkpoint has for its layer, or 1, and rounded to the nearest
   * eight-bit float ({@code float8_e4m3fn}), 448 at most: half the memory, and an error of up to
   * 1/16 of each.
   */
  E4M3(1);

  /** What to do where a checkpoint's scales are not taken. */
  static final String OTHERWISE = "; kvCacheType BF16 keeps keys and values as they are computed";

  private final int bytes;

  KvCacheType(int bytes) {
    this.bytes = bytes;
  }

  int bytes() {
    return bytes;
  }

  /**
   * What a model's checkpoint asks for: {@link #E4M3} if its {@code quantization_config} has a
   * {@code kv_cache_scheme}, as vLLM decides where nothing else is said, else {@link #BF16}.
   *
   * @throws IllegalArgumentException if it asks for what no kernel does; says for what
   */
  public static KvCacheType of(Model model) {
    final EightBitKv kv = model.weights().eightBitKv();
    if (!kv.isAskedFor()) {
      return BF16;
    }
    requireScales(kv);
    return E4M3;
  }

  static void requireScales(EightBitKv kv) {
    if (!kv.refusal().isEmpty()) {
      throw new IllegalArgumentException(kv.refusal() + OTHERWISE);
    }
  }
}
