package dev.headway.cli.simulate;

import dev.headway.cuda.executor.KvCacheType;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.WeightFormat;

/** What keys and values are kept as, by vLLM's names. */
public enum KvCacheDtype {
  /** What the model computes in. */
  AUTO,
  /** The same as {@link #FP8_E4M3}. */
  FP8,
  /** Floats of eight bits. */
  FP8_E4M3;

  /** The option's name. */
  public static final String OPTION = "--kv-cache-dtype";

  /** What a device keeps. */
  public KvCacheType onDevice() {
    return this == AUTO ? KvCacheType.BF16 : KvCacheType.E4M3;
  }

  /** The same model with such a cache: the one place where simulations take the option. */
  ModelSpec of(ModelSpec model) {
    return this == AUTO ? model : model.withKvCache(WeightFormat.FP8);
  }
}
