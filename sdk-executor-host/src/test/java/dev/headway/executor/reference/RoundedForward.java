package dev.headway.executor.reference;

import dev.headway.executor.model.BFloat16;
import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.RopeConfig;

/**
 * The forward pass once more, token after token without batches, pages or layers of classes, with a
 * rounding to bfloat16 wherever a kernel stores: norm, each matrix, head norm, rotary embedding,
 * attention, gated feed-forward, residual sum.
 */
final class RoundedForward {

  private final Model model;
  private final ModelConfig config;
  private final int heads;
  private final int kvHeads;
  private final int dim;

  RoundedForward(Model model) {
    this.model = model;
    this.config = model.config();
    this.heads = config.attention().heads();
    this.kvHeads = config.attention().kvHeads();
    this.dim = config.attention().headDim();
  }

  float[] logits(int... tokens) {
    final int hidden = config.hiddenSize();
    final float[][][] keys = new float[config.layers()][tokens.length][];
    final float[][][] values = new float[config.layers()][tokens.length][];
    final float[] embedding = tensor(ModelLayout.EMBEDDING, config.vocabularySize() * hidden);
    float[] x = {};
    for (int t = 0; t < tokens.length; t++) {
      x = new float[hidden];
      for (int i = 0; i < hidden; i++) {
        x[i] = r(embedding[tokens[t] * hidden + i] * r(model.embeddingScale()));
      }
      for (int layer = 0; layer < config.layers(); layer++) {
        final String prefix = ModelLayout.inLayer(layer, "");
        final float[] h = norm(x, prefix + ModelLayout.INPUT_NORM);
        final float[] q = placed(h, prefix + "self_attn.q", heads, t, config.ropeOf(layer));
        keys[layer][t] = placed(h, prefix + "self_attn.k", kvHeads, t, config.ropeOf(layer));
        values[layer][t] =
            rounded(biased(h, prefix + "self_attn.v", kvHeads * dim, config.biases().qkv()));
        final float[] attended = attend(q, keys[layer], values[layer], t, layer);
        final float[] out =
            biased(attended, prefix + "self_attn.o", hidden, config.biases().output());
        if (config.family().hasOutputNorms()) {
          x = sum(x, norm(rounded(out), prefix + ModelLayout.POST_ATTENTION_NORM));
          final float[] in = norm(x, prefix + "pre_feedforward_layernorm.weight");
          final float[] inner = rounded(feedForward(in, prefix));
          x = sum(x, norm(inner, prefix + "post_feedforward_layernorm.weight"));
        } else {
          x = sum(x, out);
          final float[] normed = norm(x, prefix + ModelLayout.POST_ATTENTION_NORM);
          x =
              sum(
                  x,
                  config.expertsIn(layer) == null
                      ? feedForward(normed, prefix)
                      : experts(config.expertsIn(layer), normed, prefix));
        }
      }
    }
    final float[] logits =
        product(
            ModelLayout.outputHead(config),
            norm(x, ModelLayout.FINAL_NORM),
            config.vocabularySize());
    final float cap = config.logitSoftCap();
    for (int i = 0; cap != 0 && i < logits.length; i++) {
      logits[i] = (float) (cap * Math.tanh(logits[i] / cap));
    }
    return logits;
  }

  private float[] placed(float[] h, String name, int count, int position, RopeConfig rope) {
    final float[] frequencies = config.inverseFrequencies(rope);
    final float[] x = rounded(biased(h, name, count * dim, config.biases().qkv()));
    for (int head = 0; head < count; head++) {
      final float[] one = new float[dim];
      System.arraycopy(x, head * dim, one, 0, dim);
      final float[] normed = config.qkNorm() ? norm(one, name + "_norm.weight") : one;
      final float magnitude = rope.magnitude();
      final int half = frequencies.length;
      System.arraycopy(normed, 0, x, head * dim, dim);
      for (int j = 0; j < half; j++) {
        final float angle = position * frequencies[j];
        final float c = (float) Math.cos(angle) * magnitude;
        final float s = (float) Math.sin(angle) * magnitude;
        x[head * dim + j] = r(normed[j] * c - normed[j + half] * s);
        x[head * dim + j + half] = r(normed[j + half] * c + normed[j] * s);
      }
    }
    return x;
  }

  private float[] biased(float[] h, String name, int outputs, boolean hasBias) {
    final float[] y = product(name + "_proj.weight", h, outputs);
    if (hasBias) {
      final float[] bias = tensor(name + "_proj.bias", outputs);
      for (int i = 0; i < outputs; i++) {
        y[i] += bias[i];
      }
    }
    return y;
  }

  private float[] attend(float[] q, float[][] keys, float[][] values, int last, int layer) {
    final int window = config.windowOf(layer);
    final float[] sinks =
        config.family().hasSinks()
            ? tensor(ModelLayout.inLayer(layer, ModelLayout.SINKS), heads)
            : null;
    final int first = window == 0 ? 0 : Math.max(0, last - window + 1);
    final float[] out = new float[heads * dim];
    for (int head = 0; head < heads; head++) {
      final int kv = head / (heads / kvHeads) * dim;
      final double[] p = new double[last + 1];
      double max = Double.NEGATIVE_INFINITY;
      for (int u = first; u <= last; u++) {
        for (int d = 0; d < dim; d++) {
          p[u] += (double) q[head * dim + d] * keys[u][kv + d] / Math.sqrt(config.queryScalar());
        }
        max = Math.max(max, p[u]);
      }
      double total = sinks == null ? 0 : Math.exp(sinks[head] - max);
      for (int u = first; u <= last; u++) {
        p[u] = Math.exp(p[u] - max);
        total += p[u];
      }
      for (int d = 0; d < dim; d++) {
        double sum = 0;
        for (int u = first; u <= last; u++) {
          sum += p[u] / total * values[u][kv + d];
        }
        out[head * dim + d] = r((float) sum);
      }
    }
    return out;
  }

  private float[] feedForward(float[] h, String prefix) {
    final int inner = config.intermediateSize();
    final boolean bias = config.biases().feedForward();
    final float[] gate = rounded(biased(h, prefix + "mlp.gate", inner, bias));
    final float[] up = rounded(biased(h, prefix + "mlp.up", inner, bias));
    for (int i = 0; i < inner; i++) {
      gate[i] =
          r((float) (config.family().hasOutputNorms() ? gelu(gate[i]) : silu(gate[i])) * up[i]);
    }
    return biased(gate, prefix + "mlp.down", config.hiddenSize(), bias);
  }

  /** The sum of what the experts make, each rounded, in double. */
  private float[] experts(ExpertsShape shape, float[] h, String prefix) {
    final double[] sum = new double[h.length];
    final double[] weights = routed(shape, h, prefix);
    for (int expert = 0; expert < weights.length; expert++) {
      if (weights[expert] != 0) {
        add(sum, weights[expert], h, prefix + "mlp.experts." + expert, shape.intermediateSize());
      }
    }
    if (shape.sharedExperts() > 0) {
      add(sum, 1, h, prefix + "mlp.shared_experts", shape.sharedIntermediateSize());
    }
    final float[] y = new float[sum.length];
    for (int i = 0; i < y.length; i++) {
      y[i] = (float) sum[i];
    }
    return y;
  }

  private double[] routed(ExpertsShape shape, float[] h, String prefix) {
    final float[] logits = product(prefix + ModelLayout.ROUTER, h, shape.experts());
    if (config.family().hasExpertBiases()) {
      final float[] bias = tensor(prefix + ModelLayout.ROUTER_BIAS, logits.length);
      for (int i = 0; i < bias.length; i++) {
        logits[i] += bias[i];
      }
    }
    final float[] correction = new float[shape.experts()];
    if (shape.hasCorrection()) {
      model
          .weights()
          .read(prefix + ModelLayout.ROUTER_CORRECTION, 0, correction, 0, correction.length);
    }
    return RoutedOracle.weights(shape, logits, correction);
  }

  private void add(double[] sum, double weight, float[] h, String name, int inner) {
    final boolean bias = config.family().hasExpertBiases();
    final float[] gate = rounded(biased(h, name + ".gate", inner, bias));
    final float[] up = rounded(biased(h, name + ".up", inner, bias));
    for (int i = 0; i < inner; i++) {
      gate[i] = r(bias ? clamped(gate[i], up[i]) : (float) silu(gate[i]) * up[i]);
    }
    final float[] out = rounded(biased(gate, name + ".down", h.length, bias));
    for (int i = 0; i < out.length; i++) {
      sum[i] += weight * out[i];
    }
  }

  /** As gpt-oss does. */
  private static float clamped(float gate, float up) {
    final double x = Math.min(gate, 7);
    return (float) (x / (1 + Math.exp(-1.702f * x))) * (Math.min(7, Math.max(-7, up)) + 1);
  }

  private static double silu(double x) {
    return x / (1 + Math.exp(-x));
  }

  private static double gelu(double x) {
    return x / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
  }

  private float[] norm(float[] x, String name) {
    final float[] weight = tensor(name, x.length);
    double squares = 0;
    for (float v : x) {
      squares += (double) v * v;
    }
    final float inverse = (float) (1 / Math.sqrt(squares / x.length + config.rmsNormEps()));
    final float[] y = new float[x.length];
    for (int i = 0; i < x.length; i++) {
      y[i] = r(x[i] * inverse * (config.family().normOffset() + weight[i]));
    }
    return y;
  }

  private float[] product(String name, float[] x, int outputs) {
    final float[] w = tensor(name, outputs * x.length);
    final float[] y = new float[outputs];
    for (int n = 0; n < outputs; n++) {
      for (int k = 0; k < x.length; k++) {
        y[n] += w[n * x.length + k] * x[k];
      }
    }
    return y;
  }

  private float[] tensor(String name, int length) {
    final float[] values = new float[length];
    model.weights().read(name, 0, values, 0, length);
    return rounded(values);
  }

  private static float[] sum(float[] a, float[] b) {
    final float[] sum = new float[a.length];
    for (int i = 0; i < a.length; i++) {
      sum[i] = r(a[i] + b[i]);
    }
    return sum;
  }

  private static float[] rounded(float[] x) {
    for (int i = 0; i < x.length; i++) {
      x[i] = r(x[i]);
    }
    return x;
  }

  private static float r(float value) {
    return BFloat16.round(value);
  }
}
