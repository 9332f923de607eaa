package dev.headway.simulation.step;

import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.LaunchMode;
import dev.headway.simulation.model.ModelSpec;

/**
 * How many KV blocks fit beside the weights, as vLLM finds out at start: {@code
 * gpu_memory_utilization} of the memory, less weights, less what the largest step needs for
 * activations, less what the runtime takes.
 */
public final class DeviceMemory {

  /** Context of the driver and communication buffers: what vLLM's logs show. */
  private static final double RUNTIME_BYTES = 1.0 * (1L << 30);

  /**
   * CUDA graphs, which vLLM counts since 0.21 and does not have in eager mode. Its logs show 0.2 to
   * 0.7 GiB for dense models on one device: 0.21 (Llama-3.2-1B, pull request 11349), 0.65
   * (gemma-3-4b, pull request 21489).
   */
  private static final double GRAPH_BYTES = 0.5 * (1L << 30);

  /** Live activations of a token in the widest place of a layer: residuals, inputs and outputs. */
  private static final int ACTIVATION_COPIES = 4;

  private DeviceMemory() {}

  /**
   * KV blocks that fit, the null block included.
   *
   * @param utilization share of the memory that may be used, in (0, 1]
   * @param blockSize tokens per block
   * @param maxNumBatchedTokens most tokens of a step
   * @throws NoRoomException if the weights leave no room; says how much there is
   * @throws IllegalArgumentException if the utilization is out of range
   */
  public static int blocks(
      ForwardPass pass, GpuSpec gpu, double utilization, int blockSize, int maxNumBatchedTokens) {
    if (!(utilization > 0 && utilization <= 1)) {
      throw new IllegalArgumentException(
          "utilization must be in (0, 1]: utilization=" + utilization);
    }
    final ModelSpec model = pass.model();
    final double free =
        utilization * gpu.memoryBytes()
            - pass.weightBytes()
            - stepBytes(
                model.hiddenSize(),
                model.widestFeedForward(),
                model.activations().bytes(),
                maxNumBatchedTokens,
                pass.launchMode());
    final double blocks = free / (kvBytesPerToken(pass) * blockSize);
    if (blocks < 2) {
      throw new NoRoomException(
          pass.weightBytes(),
          utilization * gpu.memoryBytes(),
          "the model must leave room for a KV block and the null block: model="
              + pass.model()
              + ", gpu="
              + gpu.name()
              + ", devices="
              + pass.parallelism().devices()
              + ", weightBytes="
              + Math.round(pass.weightBytes())
              + ", memoryBytes="
              + gpu.memoryBytes()
              + ", utilization="
              + utilization
              + "; more devices or fewer bits per weight may help");
    }
    return (int) Math.min(blocks, Integer.MAX_VALUE);
  }

  /**
   * What steps take beside weights and KV: activations, the runtime and its graphs.
   *
   * @param intermediateSize inner width that a token has in the widest feed-forward, that of all
   *     its experts together where it has some
   * @param elementBytes bytes of an activation
   * @param tokens most of a step
   */
  public static double stepBytes(
      int hiddenSize, long intermediateSize, double elementBytes, int tokens, LaunchMode mode) {
    final long widest = Math.max(4L * hiddenSize, 2 * intermediateSize);
    return (double) tokens * ACTIVATION_COPIES * widest * elementBytes
        + RUNTIME_BYTES
        + (mode == LaunchMode.EAGER ? 0 : GRAPH_BYTES);
  }

  /** Bytes of KV that a token has on a device, over the layers of its pipeline stage. */
  public static double kvBytesPerToken(ForwardPass pass) {
    final double bytes =
        pass.attention().stream().mapToDouble(call -> call.layers() * call.kvBytesPerToken()).sum();
    return bytes / pass.parallelism().pipeline();
  }
}
