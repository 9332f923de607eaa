package dev.headway.cuda.executor;

import dev.headway.cuda.device.WeightMatrix;
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
    WeightMatrix gateUp,
    WeightMatrix down,
    @Nullable WeightMatrix sharedGateUp,
    @Nullable WeightMatrix sharedDown) {

  /** Uploads those of the layer that was entered. */
  static ExpertWeights upload(WeightUpload upload, ModelConfig config, ExpertsShape shape) {
    final int hidden = config.hiddenSize();
    final int inner = shape.intermediateSize();
    final int experts = shape.experts();
    final long words = (long) inner * hidden;
    final long router = upload.tensor(ModelLayout.ROUTER, (long) experts * hidden);
    final long correction =
        shape.hasCorrection() ? upload.floats(ModelLayout.ROUTER_CORRECTION, experts) : 0;
    upload.align();
    final long gateUp = upload.here();
    for (int expert = 0; expert < experts; expert++) {
      upload.append(ModelLayout.ofExpert(expert, ModelLayout.GATE_PROJ), words);
      upload.append(ModelLayout.ofExpert(expert, ModelLayout.UP_PROJ), words);
    }
    upload.align();
    final long down = upload.here();
    for (int expert = 0; expert < experts; expert++) {
      upload.append(ModelLayout.ofExpert(expert, ModelLayout.DOWN_PROJ), words);
    }
    final int shared = shape.sharedIntermediateSize();
    return new ExpertWeights(
        new WeightMatrix(router, 0, experts, hidden),
        correction,
        new WeightMatrix(gateUp, 0, 2 * inner, hidden),
        new WeightMatrix(down, 0, hidden, inner),
        shared == 0 ? null : sharedGateUp(upload, shared, hidden),
        shared == 0 ? null : sharedDown(upload, shared, hidden));
  }

  private static WeightMatrix sharedGateUp(WeightUpload upload, int shared, int hidden) {
    final long words = (long) shared * hidden;
    final long gateUp = upload.tensor(ModelLayout.SHARED_GATE, words);
    upload.append(ModelLayout.SHARED_UP, words);
    return new WeightMatrix(gateUp, 0, 2 * shared, hidden);
  }

  private static WeightMatrix sharedDown(WeightUpload upload, int shared, int hidden) {
    final long down = upload.tensor(ModelLayout.SHARED_DOWN, (long) shared * hidden);
    return new WeightMatrix(down, 0, hidden, shared);
  }
}
