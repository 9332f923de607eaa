package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.regression.Feature;

/** Counts of a step and all products of two of them. */
final class PolynomialFeatures extends StepFeatureSet {

  private static final int BASE = 8;

  private final double[] base = new double[BASE];

  PolynomialFeatures() {
    super(named());
  }

  private static Feature[] named() {
    final String[] names = {
      "n_prefill",
      "n_decode",
      "t_prefill",
      "t_decode",
      "prefill_attention_pairs",
      "prefill_context_sum",
      "decode_context_sum",
      "kv_blocks_read"
    };
    final Feature[] features = new Feature[SecondOrder.columns(BASE)];
    int column = 0;
    features[column++] = Feature.free("step", "");
    for (String name : names) {
      features[column++] = Feature.free(name, "");
    }
    for (int i = 0; i < BASE; i++) {
      for (int j = i; j < BASE; j++) {
        features[column++] = Feature.free(names[i] + "_x_" + names[j], "");
      }
    }
    return features;
  }

  @Override
  void fill(StepFeatures step, double[] into) {
    base[0] = step.prefillRequests();
    base[1] = step.decodeRequests();
    base[2] = step.prefillTokens();
    base[3] = step.decodeTokens();
    base[4] = step.twicePrefillPairs() / 2.0;
    base[5] = step.prefillContextTokens();
    base[6] = step.decodeContextTokens();
    base[7] = step.kvBlocks();
    SecondOrder.fill(base, into);
  }
}
