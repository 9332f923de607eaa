package dev.headway.cuda.executor;

import dev.headway.cuda.device.ProductWeights;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.executor.WeightUpload.Part;
import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelLayout;
import org.jspecify.annotations.Nullable;

/**
 * A layer's experts on the device.
 *
 * @param router {@code [experts][hidden]}
 * @param correction {@code float[experts]}; 0 without
 * @param gateUp of the first expert, {@code [2 * intermediate][hidden]}, gates first; the others
 *     follow
 * @param down of the first expert, {@code [hidden][intermediate]}; the others follow
 * @param sharedGateUp of the experts that all tokens have, or null
 * @param sharedDown null together with {@code sharedGateUp}
 */
record ExpertWeights(
    WeightMatrix router,
    long correction,
    ProductWeights gateUp,
    ProductWeights down,
    @Nullable WeightMatrix sharedGateUp,
    @Nullable WeightMatrix sharedDown) {

  /** Uploads those of the layer that was entered. */
  static ExpertWeights upload(WeightUpload upload, ModelConfig config, ExpertsShape shape) {
    final int hidden = config.hiddenSize();
    final int inner = shape.intermediateSize();
    final int experts = shape.experts();
    final long router = upload.tensor(ModelLayout.ROUTER, (long) experts * hidden);
    final String routerBias = ModelLayout.biasOfRouter(config.family());
    final long correction =
        shape.hasCorrection() ? upload.floats(ModelLayout.ROUTER_CORRECTION, experts) : 0;
    final Part[] gateUp = new Part[2 * experts];
    final Part[] down = new Part[experts];
    for (int expert = 0; expert < experts; expert++) {
      gateUp[2 * expert] = part(config, expert, ModelLayout.GATE_PROJ, inner);
      gateUp[2 * expert + 1] = part(config, expert, ModelLayout.UP_PROJ, inner);
      down[expert] = part(config, expert, ModelLayout.DOWN_PROJ, hidden);
    }
    final int shared = shape.sharedIntermediateSize();
    return new ExpertWeights(
        new WeightMatrix(
            router, routerBias == null ? 0 : upload.tensor(routerBias, experts), experts, hidden),
        correction,
        upload.experts(2 * inner, hidden, gateUp),
        upload.experts(hidden, inner, down),
        shared == 0
            ? null
            : upload.matrix(
                hidden,
                new Part(ModelLayout.SHARED_GATE, shared),
                new Part(ModelLayout.SHARED_UP, shared)),
        shared == 0 ? null : upload.matrix(shared, new Part(ModelLayout.SHARED_DOWN, hidden)));
  }

  private static Part part(ModelConfig config, int expert, String matrix, int rows) {
    return new Part(
        ModelLayout.ofExpert(expert, matrix),
        rows,
        ModelLayout.biasOfExpert(expert, matrix, config.family()));
  }
}
