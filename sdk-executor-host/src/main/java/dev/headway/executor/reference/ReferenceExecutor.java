package dev.headway.executor.reference;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.OutputHead;
import dev.headway.executor.model.TensorSpec;
import dev.headway.executor.plan.ModelMemory;
import dev.headway.executor.speculation.NgramOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs a model in plain Java over the block tables that the scheduler hands out: a {@link
 * HostExecutor} around a {@link ReferenceModel}. Engine thread only, one step at a time.
 */
public final class ReferenceExecutor extends HostExecutor {

  ReferenceExecutor(
      ReferenceModel model,
      ExecutorShape shape,
      NanoClock clock,
      @Nullable NgramOptions ngrams,
      Map<LoraAdapter, LoraWeights> adapters) {
    super("reference", new ReferencePass(model, shape), shape, clock, ngrams, adapters);
  }

  /**
   * Starts an executor. Its weights are copied by {@link ReferenceExecutorBuilder#build}.
   *
   * @param clock the engine's clock; times the parts of a step
   */
  public static ReferenceExecutorBuilder builder(Model model, NanoClock clock) {
    return new ReferenceExecutorBuilder(model, clock);
  }

  /**
   * What a model takes: floats, and a tied embedding twice.
   *
   * @throws IllegalArgumentException if it cannot be run here; says why
   */
  public static ModelMemory memory(Model model) {
    final ModelConfig config = model.config();
    for (TensorSpec tensor : ModelLayout.of(config)) {
      Linear.requireFits(tensor.name(), tensor.elements());
    }
    final long embedding = (long) config.vocabularySize() * config.hiddenSize();
    final long elements =
        config.parameters() + (config.outputHead() == OutputHead.TIED ? embedding : 0);
    return new ModelMemory(Float.BYTES * elements, Float.BYTES);
  }
}
