package dev.headway.executor.vector;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.Model;
import dev.headway.executor.plan.ModelMemory;
import dev.headway.executor.reference.HostExecutor;
import dev.headway.executor.speculation.NgramOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs a model on the CPU's vector units, over the block tables that the scheduler hands out: a
 * {@link HostExecutor} around a forward pass on the Vector API.
 *
 * <p>Engine thread only, one step at a time; a fixed number of threads helps it with each step.
 * Weights stay in the precision in which they are stored, and lie with the KV cache in native
 * memory, which {@code -Xmx} does not bound. Activations and KV are floats. A step allocates copies
 * of token ids and block tables, and log-probabilities where they are asked for.
 */
public final class VectorExecutor extends HostExecutor {

  VectorExecutor(
      VectorModel model,
      ExecutorShape shape,
      NanoClock clock,
      @Nullable NgramOptions ngrams,
      Map<LoraAdapter, LoraWeights> adapters) {
    super("vector", model, shape, clock, ngrams, adapters);
  }

  /**
   * Starts an executor. Its weights are copied by {@link VectorExecutorBuilder#build}.
   *
   * @param clock the engine's clock; times the parts of a step
   */
  public static VectorExecutorBuilder builder(Model model, NanoClock clock) {
    return new VectorExecutorBuilder(model, clock);
  }

  /** What a model takes: its matrices as they are stored, and floats in the KV cache. */
  public static ModelMemory memory(Model model) {
    return new ModelMemory(MemoryNeed.weightBytes(model), Float.BYTES);
  }
}
