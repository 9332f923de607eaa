package dev.headway.executor.vector;

import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelLayout;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * The weights of one decoder layer. The head norms are null unless the family has them.
 *
 * @param qkv queries, keys and values as one product
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record DecoderLayer(
    float[] inputNorm,
    PackedLinear qkv,
    float @Nullable [] queryNorm,
    float @Nullable [] keyNorm,
    PackedLinear output,
    float[] postAttentionNorm,
    PackedLinear gate,
    PackedLinear up,
    PackedLinear down) {

  static DecoderLayer read(Model model, int layer, WorkerPool pool, Arena arena) {
    final ModelConfig config = model.config();
    final AttentionShape attention = config.attention();
    final Reader in = new Reader(model, layer, pool, arena);
    final boolean norms = config.family().hasQkNorm();
    final int hidden = config.hiddenSize();
    final int inner = config.intermediateSize();
    return new DecoderLayer(
        in.vector(ModelLayout.INPUT_NORM, hidden),
        in.qkv(config),
        norms ? in.vector(ModelLayout.Q_NORM, attention.headDim()) : null,
        norms ? in.vector(ModelLayout.K_NORM, attention.headDim()) : null,
        in.linear(ModelLayout.O_PROJ, attention.queryDim(), hidden),
        in.vector(ModelLayout.POST_ATTENTION_NORM, hidden),
        in.linear(ModelLayout.GATE_PROJ, hidden, inner),
        in.linear(ModelLayout.UP_PROJ, hidden, inner),
        in.linear(ModelLayout.DOWN_PROJ, inner, hidden));
  }

  private record Reader(Model model, int layer, WorkerPool pool, Arena arena) {
    float[] vector(String name, int length) {
      return WeightVector.read(model.weights(), ModelLayout.inLayer(layer, name), length);
    }

    void read(String name, float[] target, int to, int length) {
      WeightVector.read(model.weights(), ModelLayout.inLayer(layer, name), target, to, length);
    }

    PackedLinear linear(String name, int inputs, int outputs) {
      final String biasName = ModelLayout.biasOf(name, model.config().biases());
      final float[] bias = new float[Lanes.padded(outputs)];
      if (biasName != null) {
        read(biasName, bias, 0, outputs);
      }
      return new PackedLinear(matrix(inputs, part(name, outputs)), bias);
    }

    PackedLinear qkv(ModelConfig config) {
      final int queryDim = config.attention().queryDim();
      final int kvDim = config.attention().kvDim();
      final float[] bias = new float[Lanes.padded(queryDim + 2 * kvDim)];
      if (config.biases().qkv()) {
        read(ModelLayout.Q_BIAS, bias, 0, queryDim);
        read(ModelLayout.K_BIAS, bias, queryDim, kvDim);
        read(ModelLayout.V_BIAS, bias, queryDim + kvDim, kvDim);
      }
      return new PackedLinear(
          matrix(
              config.hiddenSize(),
              part(ModelLayout.Q_PROJ, queryDim),
              part(ModelLayout.K_PROJ, kvDim),
              part(ModelLayout.V_PROJ, kvDim)),
          bias);
    }

    private PackedMatrix.Part part(String name, int outputs) {
      return new PackedMatrix.Part(ModelLayout.inLayer(layer, name), outputs);
    }

    private PanelMatrix matrix(int inputs, PackedMatrix.Part... parts) {
      return PanelMatrix.read(pool, arena, model.weights(), inputs, parts);
    }
  }
}
