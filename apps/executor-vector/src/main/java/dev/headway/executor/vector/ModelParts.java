package dev.headway.executor.vector;

import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelLayout;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The weights of a model; a tied head is the embedding itself.
 *
 * @param embeddingScale what its rows are multiplied by
 * @param head makes logits
 * @param experts what layers with experts share; null in models without
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ModelParts(
    PackedMatrix embedding,
    float embeddingScale,
    List<DecoderLayer> layers,
    float[] finalNorm,
    PackedLinear head,
    @Nullable ExpertStates experts) {

  /**
   * Copies all weights to memory of {@code arena}.
   *
   * @throws IllegalArgumentException if one is not finite
   */
  static ModelParts read(Model model, Arena arena, FeedForwardContext context) {
    final ModelConfig config = model.config();
    final WorkerPool pool = context.pool();
    final ExpertStates experts =
        config.experts() == null
            ? null
            : new ExpertStates(config, config.experts(), pool.workers());
    final PackedMatrix embedding =
        PackedMatrix.read(
            pool,
            arena,
            model.weights(),
            config.hiddenSize(),
            new PackedMatrix.Part(ModelLayout.EMBEDDING, config.vocabularySize()));
    final List<DecoderLayer> layers = new ArrayList<>();
    for (int layer = 0; layer < config.layers(); layer++) {
      layers.add(DecoderLayer.read(model, layer, arena, context, experts));
    }
    final float[] finalNorm =
        WeightVector.readNorm(model, ModelLayout.FINAL_NORM, config.hiddenSize());
    final String head = ModelLayout.outputHead(config);
    final PackedLinear logits =
        new PackedLinear(
            head.equals(ModelLayout.EMBEDDING) ? embedding : ownHead(model, pool, arena),
            new float[Lanes.padded(config.vocabularySize())]);
    return new ModelParts(embedding, model.embeddingScale(), layers, finalNorm, logits, experts);
  }

  private static PanelMatrix ownHead(Model model, WorkerPool pool, Arena arena) {
    final ModelConfig config = model.config();
    return PanelMatrix.read(
        pool,
        arena,
        model.weights(),
        config.hiddenSize(),
        new PackedMatrix.Part(ModelLayout.OWN_HEAD, config.vocabularySize()));
  }
}
