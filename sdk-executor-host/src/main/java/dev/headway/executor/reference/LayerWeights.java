package dev.headway.executor.reference;

import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The weights of one decoder layer, as floats. Sinks, and the norms of heads and of what attention
 * and feed-forward answer, are null unless the family has them.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record LayerWeights(
    float[] inputNorm,
    Linear query,
    Linear key,
    Linear value,
    float @Nullable [] queryNorm,
    float @Nullable [] keyNorm,
    float @Nullable [] sinks,
    Linear output,
    float @Nullable [] attentionOutputNorm,
    float[] feedForwardNorm,
    FeedForward feedForward,
    float @Nullable [] feedForwardOutputNorm) {

  /**
   * Reads a layer.
   *
   * @param inner scratch memory of all layers
   * @param deltas of adapters
   */
  static LayerWeights read(
      Model model, int layer, Precision precision, InnerStates inner, RowDeltas deltas) {
    final Reader in = new Reader(model, layer, precision, inner, deltas);
    final ModelConfig config = model.config();
    final AttentionShape attention = config.attention();
    final int hidden = config.hiddenSize();
    final boolean norms = config.qkNorm();
    final boolean ofOutputs = config.family().hasOutputNorms();
    return new LayerWeights(
        in.norm(ModelLayout.INPUT_NORM, hidden),
        in.linear(ModelLayout.Q_PROJ, hidden, attention.queryDim()),
        in.linear(ModelLayout.K_PROJ, hidden, attention.kvDim()),
        in.linear(ModelLayout.V_PROJ, hidden, attention.kvDim()),
        norms ? in.norm(ModelLayout.Q_NORM, attention.headDim()) : null,
        norms ? in.norm(ModelLayout.K_NORM, attention.headDim()) : null,
        config.family().hasSinks() ? in.vector(ModelLayout.SINKS, attention.heads()) : null,
        in.linear(ModelLayout.O_PROJ, attention.queryDim(), hidden),
        ofOutputs ? in.norm(ModelLayout.POST_ATTENTION_NORM, hidden) : null,
        in.norm(ModelLayout.feedForwardNorm(config.family()), hidden),
        in.feedForward(config.expertsIn(layer)),
        ofOutputs ? in.norm(ModelLayout.POST_FEED_FORWARD_NORM, hidden) : null);
  }

  private record Reader(
      Model model, int layer, Precision precision, InnerStates inner, RowDeltas deltas) {
    float[] norm(String name, int length) {
      return RmsNorm.weights(model, ModelLayout.inLayer(layer, name), length, precision);
    }

    float[] vector(String name, int length) {
      return Linear.vector(model.weights(), ModelLayout.inLayer(layer, name), length, precision);
    }

    Linear linear(String name, int inputs, int outputs) {
      return linear(name, ModelLayout.biasOf(name, model.config().biases()), inputs, outputs);
    }

    private Linear linear(String name, @Nullable String bias, int inputs, int outputs) {
      return Linear.read(
          model.weights(),
          ModelLayout.inLayer(layer, name),
          bias == null ? null : ModelLayout.inLayer(layer, bias),
          inputs,
          outputs,
          precision);
    }

    FeedForward feedForward(@Nullable ExpertsShape experts) {
      final int hidden = model.config().hiddenSize();
      if (experts != null) {
        return experts(experts, hidden);
      }
      final int size = model.config().intermediateSize();
      return gated(
          linear(ModelLayout.GATE_PROJ, hidden, size),
          linear(ModelLayout.UP_PROJ, hidden, size),
          linear(ModelLayout.DOWN_PROJ, size, hidden),
          deltas);
    }

    private FeedForward experts(ExpertsShape shape, int hidden) {
      final List<FeedForward> experts = new ArrayList<>();
      for (int expert = 0; expert < shape.experts(); expert++) {
        final int size = shape.intermediateSize();
        experts.add(
            gated(
                ofExpert(expert, ModelLayout.GATE_PROJ, hidden, size),
                ofExpert(expert, ModelLayout.UP_PROJ, hidden, size),
                ofExpert(expert, ModelLayout.DOWN_PROJ, size, hidden),
                null));
      }
      return new ExpertsFeedForward(
          shape,
          hidden,
          linear(
              ModelLayout.ROUTER,
              ModelLayout.biasOfRouter(model.config().family()),
              hidden,
              shape.experts()),
          shape.hasCorrection() ? correction(shape) : new float[0],
          experts,
          shape.sharedExperts() == 0
              ? null
              : gated(
                  linear(ModelLayout.SHARED_GATE, null, hidden, shape.sharedIntermediateSize()),
                  linear(ModelLayout.SHARED_UP, null, hidden, shape.sharedIntermediateSize()),
                  linear(ModelLayout.SHARED_DOWN, null, shape.sharedIntermediateSize(), hidden),
                  null),
          precision);
    }

    /** Stays as it is stored, which transformers asks for too. */
    private float[] correction(ExpertsShape shape) {
      return Linear.vector(
          model.weights(),
          ModelLayout.inLayer(layer, ModelLayout.ROUTER_CORRECTION),
          shape.experts(),
          Precision.FLOAT32);
    }

    private Linear ofExpert(int expert, String matrix, int inputs, int outputs) {
      return linear(
          ModelLayout.ofExpert(expert, matrix),
          ModelLayout.biasOfExpert(expert, matrix, model.config().family()),
          inputs,
          outputs);
    }

    private FeedForward gated(Linear gate, Linear up, Linear down, @Nullable RowDeltas ofAdapters) {
      return new DenseFeedForward(
          gate, up, down, model.config().family().activation(), precision, inner, ofAdapters);
    }
  }
}
