package dev.headway.executor.vector;

import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelLayout;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The weights of one decoder layer. Sinks, and the norms of heads and of what attention and
 * feed-forward answer, are null unless the family has them.
 *
 * @param qkv queries, keys and values as one product
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record DecoderLayer(
    float[] inputNorm,
    PackedLinear qkv,
    float @Nullable [] queryNorm,
    float @Nullable [] keyNorm,
    float @Nullable [] sinks,
    PackedLinear output,
    float @Nullable [] attentionOutputNorm,
    float[] feedForwardNorm,
    FeedForward feedForward,
    float @Nullable [] feedForwardOutputNorm) {

  /**
   * Reads a layer into memory of {@code arena}.
   *
   * @param experts what layers with experts share; null in models without
   */
  static DecoderLayer read(
      Model model,
      int layer,
      Arena arena,
      FeedForwardContext context,
      @Nullable ExpertStates experts) {
    final ModelConfig config = model.config();
    final AttentionShape attention = config.attention();
    final Reader in = new Reader(model, layer, arena, context);
    final boolean norms = config.qkNorm();
    final boolean ofOutputs = config.family().hasOutputNorms();
    final int hidden = config.hiddenSize();
    return new DecoderLayer(
        in.norm(ModelLayout.INPUT_NORM, hidden),
        in.qkv(config),
        norms ? in.norm(ModelLayout.Q_NORM, attention.headDim()) : null,
        norms ? in.norm(ModelLayout.K_NORM, attention.headDim()) : null,
        config.family().hasSinks() ? in.vector(ModelLayout.SINKS, attention.heads()) : null,
        in.linear(ModelLayout.O_PROJ, attention.queryDim(), hidden),
        ofOutputs ? in.norm(ModelLayout.POST_ATTENTION_NORM, hidden) : null,
        in.norm(ModelLayout.feedForwardNorm(config.family()), hidden),
        experts != null && config.experts() != null && config.experts().isIn(layer)
            ? in.experts(config.experts(), experts)
            : in.feedForward(),
        ofOutputs ? in.norm(ModelLayout.POST_FEED_FORWARD_NORM, hidden) : null);
  }

  private record Reader(Model model, int layer, Arena arena, FeedForwardContext context) {
    float[] norm(String name, int length) {
      return WeightVector.readNorm(model, ModelLayout.inLayer(layer, name), length);
    }

    float[] vector(String name, int length) {
      final float[] values = new float[length];
      read(name, values, 0, length);
      return values;
    }

    void read(String name, float[] target, int to, int length) {
      WeightVector.read(model.weights(), ModelLayout.inLayer(layer, name), target, to, length);
    }

    PackedLinear linear(String name, int inputs, int outputs) {
      return linear(name, ModelLayout.biasOf(name, model.config().biases()), inputs, outputs);
    }

    private PackedLinear linear(String name, @Nullable String biasName, int inputs, int outputs) {
      final float[] bias = new float[Lanes.padded(outputs)];
      if (biasName != null) {
        read(biasName, bias, 0, outputs);
      }
      return new PackedLinear(matrix(inputs, part(name, outputs)), bias);
    }

    FeedForward feedForward() {
      final int hidden = model.config().hiddenSize();
      final int size = model.config().intermediateSize();
      return new DenseFeedForward(
          linear(ModelLayout.GATE_PROJ, hidden, size),
          linear(ModelLayout.UP_PROJ, hidden, size),
          linear(ModelLayout.DOWN_PROJ, size, hidden),
          model.config().family().activation(),
          true,
          context);
    }

    FeedForward experts(ExpertsShape shape, ExpertStates states) {
      final int hidden = model.config().hiddenSize();
      final int size = shape.intermediateSize();
      final List<ExpertsFeedForward.Expert> experts = new ArrayList<>();
      for (int expert = 0; expert < shape.experts(); expert++) {
        experts.add(
            new ExpertsFeedForward.Expert(
                ofExpert(expert, ModelLayout.GATE_PROJ, hidden, size),
                ofExpert(expert, ModelLayout.UP_PROJ, hidden, size),
                ofExpert(expert, ModelLayout.DOWN_PROJ, size, hidden)));
      }
      return new ExpertsFeedForward(
          linear(
              ModelLayout.ROUTER,
              ModelLayout.biasOfRouter(model.config().family()),
              hidden,
              shape.experts()),
          shape.hasCorrection()
              ? vector(ModelLayout.ROUTER_CORRECTION, shape.experts())
              : new float[0],
          experts,
          shape.sharedExperts() == 0 ? null : shared(shape),
          model.config().family().activation(),
          context,
          states);
    }

    private PackedLinear ofExpert(int expert, String matrix, int inputs, int outputs) {
      return linear(
          ModelLayout.ofExpert(expert, matrix),
          ModelLayout.biasOfExpert(expert, matrix, model.config().family()),
          inputs,
          outputs);
    }

    private FeedForward shared(ExpertsShape shape) {
      final int hidden = model.config().hiddenSize();
      final int size = shape.sharedIntermediateSize();
      return new DenseFeedForward(
          linear(ModelLayout.SHARED_GATE, null, hidden, size),
          linear(ModelLayout.SHARED_UP, null, hidden, size),
          linear(ModelLayout.SHARED_DOWN, null, size, hidden),
          model.config().family().activation(),
          false,
          context);
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
      return PanelMatrix.read(context.pool(), arena, model.weights(), inputs, parts);
    }
  }
}
