package dev.headway.simulation.hardware;

import dev.headway.simulation.model.WeightFormat.Arithmetic;
import java.util.Map;
import java.util.Objects;

/**
 * Peak figures of a device, dense: without structured sparsity. Immutable.
 *
 * @param name the word for it in options: lower case, as {@code h100-sxm}
 * @param flops peak of each arithmetic in operations per second; one that is missing runs as the
 *     next wider one
 * @param memoryBytes memory
 * @param memoryBytesPerSecond bandwidth of the memory
 * @param linkBytesPerSecond bandwidth to the other devices of the node, one way; 0 if there is no
 *     link but PCI Express
 * @param matMulTile tokens that a multiplication with weights takes together; those beyond a
 *     multiple of it are taken one by one, which is slower. 1 where that makes no difference
 * @param source where the figures are from
 */
public record GpuSpec(
    String name,
    Map<Arithmetic, Double> flops,
    long memoryBytes,
    double memoryBytesPerSecond,
    double linkBytesPerSecond,
    int matMulTile,
    String source) {

  /** Validates the components. */
  public GpuSpec {
    flops = Map.copyOf(flops);
    if (!flops.containsKey(Arithmetic.BF16)) {
      throw new IllegalArgumentException("flops must have bf16: gpu=" + name);
    }
    flops.forEach((kind, peak) -> requirePositive(name, kind.name(), peak));
    requirePositive(name, "memoryBytes", (double) memoryBytes);
    requirePositive(name, "memoryBytesPerSecond", memoryBytesPerSecond);
    if (!(linkBytesPerSecond >= 0)) {
      throw new IllegalArgumentException(
          "linkBytesPerSecond must be >= 0: gpu=" + name + ", value=" + linkBytesPerSecond);
    }
    if (matMulTile < 1) {
      throw new IllegalArgumentException(
          "matMulTile must be >= 1: gpu=" + name + ", value=" + matMulTile);
    }
  }

  /** Whether CUDA runs on it, which it does not on AMD's Instinct MI devices. */
  public boolean runsCuda() {
    return !name.startsWith("mi");
  }

  /** Peak operations per second; a multiply-add is two operations. */
  public double flops(Arithmetic arithmetic) {
    final Double own = flops.get(arithmetic);
    return own != null ? own : flopsOfWider(arithmetic);
  }

  private double flopsOfWider(Arithmetic arithmetic) {
    return switch (arithmetic) {
      case FP8, INT8 -> flops(Arithmetic.BF16);
      case BF16, FP32 -> Objects.requireNonNull(flops.get(Arithmetic.BF16));
    };
  }

  private static void requirePositive(String gpu, String figure, double value) {
    if (!(value > 0)) {
      throw new IllegalArgumentException(figure + " must be > 0: gpu=" + gpu + ", value=" + value);
    }
  }
}
