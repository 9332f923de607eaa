package dev.headway.cli.serve;

import dev.headway.cuda.executor.CudaExecutor;
import dev.headway.cuda.executor.KvCacheType;
import dev.headway.executor.model.ExpertsShape;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.plan.ModelMemory;
import dev.headway.executor.reference.ReferenceExecutor;
import dev.headway.executor.vector.VectorExecutor;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.LaunchMode;
import dev.headway.simulation.step.DeviceMemory;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a model takes in each executor, and how many requests of a size fit a device. */
final class ModelFit {

  private static final int ACTIVATION_BYTES = 2;
  private static final int USUAL_TOKENS = 2_048;

  private final Model model;
  private final KvBlocks blocks;
  private final int requestTokens;
  private final int maxNumBatchedTokens;
  private final double utilization;
  private final Executor cuda;
  private final List<Executor> executors;

  ModelFit(
      Model model,
      KvBlocks blocks,
      int requestTokens,
      int maxNumBatchedTokens,
      double utilization) {
    this.model = model;
    this.blocks = blocks;
    this.requestTokens = requestTokens;
    this.maxNumBatchedTokens = maxNumBatchedTokens;
    this.utilization = utilization;
    cuda = Executor.of("cuda", () -> onDevice(model, blocks));
    executors =
        List.of(
            cuda,
            Executor.of("vector", () -> VectorExecutor.memory(model)),
            Executor.of("reference", () -> ReferenceExecutor.memory(model)));
  }

  /**
   * The KV cache.
   *
   * @param size tokens per block
   * @param onDevice what a device keeps keys and values as, null if the checkpoint says; others
   *     keep floats
   */
  record KvBlocks(int size, @Nullable KvCacheType onDevice) {}

  private static ModelMemory onDevice(Model model, KvBlocks blocks) {
    return blocks.onDevice() == null
        ? CudaExecutor.memory(model, blocks.size())
        : CudaExecutor.memory(model, blocks.size(), blocks.onDevice());
  }

  /**
   * An executor for the model.
   *
   * @param memory what it takes; null if it cannot run it
   * @param refusal why not; empty if it can
   */
  record Executor(String name, @Nullable ModelMemory memory, String refusal) {
    private static Executor of(String name, Supplier<ModelMemory> memory) {
      try {
        return new Executor(name, memory.get(), "");
      } catch (IllegalArgumentException e) {
        return new Executor(name, null, String.valueOf(e.getMessage()));
      }
    }

    boolean runs() {
      return memory != null;
    }
  }

  /** Tokens of a request, prompt and answer, for who does not say: within the context. */
  static int usualRequest(int context) {
    return Math.min(USUAL_TOKENS, context);
  }

  Model model() {
    return model;
  }

  ModelConfig config() {
    return model.config();
  }

  int requestTokens() {
    return requestTokens;
  }

  double utilization() {
    return utilization;
  }

  int maxNumBatchedTokens() {
    return maxNumBatchedTokens;
  }

  /** The fastest first. */
  List<Executor> executors() {
    return executors;
  }

  /** KV of a request, in bytes. */
  long requestBytes(ModelMemory memory) {
    return memory.kvBytes(config(), requestTokens, blocks.size());
  }

  /** Bytes that a device has for the KV cache beside the weights; negative if it lacks some. */
  long cacheBytes(GpuSpec gpu, ModelMemory memory) {
    return (long)
        (utilization * gpu.memoryBytes()
            - memory.weightBytes()
            - DeviceMemory.stepBytes(
                config().hiddenSize(),
                widestFeedForward(),
                ACTIVATION_BYTES,
                maxNumBatchedTokens,
                LaunchMode.CUDA_GRAPHS));
  }

  /** What a token has in the widest layer, of all its experts where it has some. */
  private long widestFeedForward() {
    final ExpertsShape experts = config().experts();
    final int dense = config().denseIntermediateSize();
    return experts == null ? dense : Math.max(dense, experts.intermediatePerToken());
  }

  /** The executor on devices. */
  Executor cuda() {
    return cuda;
  }
}
