package dev.headway.cuda.executor;

import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.WeightType;
import java.util.Random;

/**
 * The weights of a model whose routers are moved by noise: as large as what roundings that fall
 * otherwise make of their logits. Where two experts are equally good, another one is chosen.
 */
record MovedRouters(ModelWeights weights, long seed) implements ModelWeights {
  private static final double DEVIATION = 0.01;

  static Model of(Model model, long seed) {
    return new Model(model.config(), new MovedRouters(model.weights(), seed));
  }

  @Override
  public WeightType type(String tensor) {
    return weights.type(tensor);
  }

  @Override
  public void read(String tensor, long from, float[] target, int offset, int length) {
    weights.read(tensor, from, target, offset, length);
    if (tensor.endsWith(ModelLayout.ROUTER)) {
      final Random random = new Random(seed + from);
      for (int i = offset; i < offset + length; i++) {
        target[i] *= (float) (1 + DEVIATION * random.nextGaussian());
      }
    }
  }

  @Override
  public void close() {
    weights.close();
  }
}
