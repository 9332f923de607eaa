package dev.headway.cli.simulate;

import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.WeightFormat;

/** What keys and values are kept as, by vLLM's names. */
public enum KvCacheDtype {
  /** What the checkpoint asks for: eight bits with a kv_cache_scheme, else what it computes in. */
  AUTO,
  /** What models compute in, whatever the checkpoint asks for. */
  BFLOAT16,
  /** The same as {@link #FP8_E4M3}. */
  FP8,
  /** Floats of eight bits. */
  FP8_E4M3;

  /** The option's name. */
  public static final String OPTION = "--kv-cache-dtype";

  /** The same model with such a cache: the one place where simulations take the option. */
  ModelSpec of(ModelSpec model) {
    return switch (this) {
      case AUTO -> model;
      case BFLOAT16 -> model.withKvCache(WeightFormat.BF16);
      case FP8, FP8_E4M3 -> model.withKvCache(WeightFormat.FP8);
    };
  }
}
