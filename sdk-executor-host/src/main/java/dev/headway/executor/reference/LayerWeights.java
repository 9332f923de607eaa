package dev.headway.executor.reference;

import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelLayout;
import org.jspecify.annotations.Nullable;

/**
 * The weights of one decoder layer, as floats. The head norms are null unless the family has them.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record LayerWeights(
    float[] inputNorm,
    Linear query,
    Linear key,
    Linear value,
    float @Nullable [] queryNorm,
    float @Nullable [] keyNorm,
    Linear output,
    float[] postAttentionNorm,
    Linear gate,
    Linear up,
    Linear down) {

  static LayerWeights read(Model model, int layer, Precision precision) {
    final Reader in = new Reader(model, layer, precision);
    final ModelConfig config = model.config();
    final AttentionShape attention = config.attention();
    final int hidden = config.hiddenSize();
    final int inner = config.intermediateSize();
    final boolean norms = config.family().hasQkNorm();
    return new LayerWeights(
        in.vector(ModelLayout.INPUT_NORM, hidden),
        in.linear(ModelLayout.Q_PROJ, hidden, attention.queryDim()),
        in.linear(ModelLayout.K_PROJ, hidden, attention.kvDim()),
        in.linear(ModelLayout.V_PROJ, hidden, attention.kvDim()),
        norms ? in.vector(ModelLayout.Q_NORM, attention.headDim()) : null,
        norms ? in.vector(ModelLayout.K_NORM, attention.headDim()) : null,
        in.linear(ModelLayout.O_PROJ, attention.queryDim(), hidden),
        in.vector(ModelLayout.POST_ATTENTION_NORM, hidden),
        in.linear(ModelLayout.GATE_PROJ, hidden, inner),
        in.linear(ModelLayout.UP_PROJ, hidden, inner),
        in.linear(ModelLayout.DOWN_PROJ, inner, hidden));
  }

  private record Reader(Model model, int layer, Precision precision) {
    float[] vector(String name, int length) {
      return Linear.vector(model.weights(), ModelLayout.inLayer(layer, name), length, precision);
    }

    Linear linear(String name, int inputs, int outputs) {
      final String bias = ModelLayout.biasOf(name, model.config().biases());
      return Linear.read(
          model.weights(),
          ModelLayout.inLayer(layer, name),
          bias == null ? null : ModelLayout.inLayer(layer, bias),
          inputs,
          outputs,
          precision);
    }
  }
}
