package dev.headway.simulation.step;

import dev.headway.api.step.StepFeatures;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.AttentionCall;
import dev.headway.simulation.model.ExpertCall;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.MatMul;
import dev.headway.simulation.model.WeightFormat.Arithmetic;

/**
 * The roofline (Williams, Waterman, Patterson, CACM 52(4), 2009), operator by operator: each takes
 * the longer of its arithmetic and its memory traffic, at a share of the device's peaks, and the
 * time to start a kernel. Never faster than the device: every share is in (0, 1].
 *
 * <p>Allocates nothing; one thread.
 */
public final class Roofline implements OperatorTimes {

  private static final double NS_PER_SECOND = 1e9;

  private final GpuSpec gpu;
  private final Shares shares;
  private final double sharpness;

  /**
   * The shares of the peaks that kernels get, and what starting one takes.
   *
   * @param compute of the peak arithmetic, in (0, 1]
   * @param memory of the memory's bandwidth, in (0, 1]
   * @param link of the link's bandwidth, in (0, 1]
   * @param kernelNs to start a kernel, >= 0
   * @param linkNs latency of one hop of an all-reduce, >= 0
   */
  public record Shares(double compute, double memory, double link, double kernelNs, double linkNs) {

    /**
     * What large kernels of current libraries get: 0.7 of the arithmetic, 0.8 of the memory, 0.65
     * of the links; 2 µs between kernels of a replayed graph, 4 µs per hop.
     */
    public static final Shares TYPICAL = new Shares(0.7, 0.8, 0.65, 2_000, 4_000);

    /** The peaks themselves: no step can be faster. */
    public static final Shares PEAK = new Shares(1, 1, 1, 0, 0);

    /** Validates the components. */
    public Shares {
      requireShare("compute", compute);
      requireShare("memory", memory);
      requireShare("link", link);
      if (!(kernelNs >= 0 && linkNs >= 0)) {
        throw new IllegalArgumentException(
            "kernelNs and linkNs must be >= 0: kernelNs=" + kernelNs + ", linkNs=" + linkNs);
      }
    }

    private static void requireShare(String name, double share) {
      if (!(share > 0 && share <= 1)) {
        throw new IllegalArgumentException(name + " must be in (0, 1]: " + name + "=" + share);
      }
    }
  }

  /** The roofline of a device at {@link Shares#TYPICAL}. */
  public Roofline(GpuSpec gpu) {
    this(gpu, Shares.TYPICAL);
  }

  /** The roofline of a device. */
  public Roofline(GpuSpec gpu, Shares shares) {
    this(gpu, shares, Double.POSITIVE_INFINITY);
  }

  /**
   * The roofline of a device whose kernels near the ridge take a little longer than arithmetic or
   * memory alone: {@code (compute^p + memory^p)^(1/p)} instead of the longer of both.
   *
   * @param sharpness p, >= 1; infinity for the longer of both
   */
  public Roofline(GpuSpec gpu, Shares shares, double sharpness) {
    if (!(sharpness >= 1)) {
      throw new IllegalArgumentException("sharpness must be >= 1: sharpness=" + sharpness);
    }
    this.gpu = gpu;
    this.shares = shares;
    this.sharpness = sharpness;
  }

  @Override
  public double matMulNs(MatMul matMul, double rows) {
    return longest(matMul.operations(rows), matMul.format().arithmetic(), moved(matMul, rows));
  }

  /**
   * The arithmetic of the tokens beyond a multiple of the device's tile, which is 0 where there are
   * no tiles. It is part of {@link #matMulNs} already: kernels take more of it for these tokens.
   */
  public double beyondTilesNs(MatMul matMul, double rows) {
    final double beyond = rows % gpu.matMulTile();
    return beyond == 0
        ? 0
        : matMul.operations(beyond)
            / (gpu.flops(matMul.format().arithmetic()) * shares.compute())
            * NS_PER_SECOND;
  }

  private static double moved(MatMul matMul, double rows) {
    return matMul.weightBytes() + rows * (matMul.n() + matMul.k()) * Short.BYTES;
  }

  /** At typical shares of both peaks. */
  @Override
  public boolean isBoundByMemory(MatMul matMul, double rows) {
    final double compute =
        matMul.operations(rows)
            / (gpu.flops(matMul.format().arithmetic()) * Shares.TYPICAL.compute());
    final double memory =
        moved(matMul, rows) / (gpu.memoryBytesPerSecond() * Shares.TYPICAL.memory());
    return memory > compute;
  }

  @Override
  public double attentionNs(AttentionCall call, StepFeatures step) {
    double ns = 0;
    if (step.prefillRequests() > 0) {
      ns += prefillAttentionNs(call, step);
    }
    if (step.decodeRequests() > 0) {
      ns += decodeAttentionNs(call, step);
    }
    return ns;
  }

  /**
   * The attention of one layer for the prefills of a step, of which there is one at least. Counts
   * pairs of a query and a token before it; in a window no more than the window for each query.
   */
  public double prefillAttentionNs(AttentionCall call, StepFeatures step) {
    final double pairs = step.twicePrefillPairs() / 2.0;
    final double context = (double) step.prefillContextTokens() / step.prefillRequests();
    final double seen =
        call.windowTokens() == 0
            ? pairs
            : Math.min(pairs, (double) step.prefillTokens() * call.windowTokens());
    final double read =
        step.prefillRequests() * call.visible(context) * call.kvBytesPerToken()
            + step.prefillTokens() * call.kvBytesPerToken();
    return longest(2 * seen * call.multiplyAddsPerPair(), Arithmetic.BF16, read);
  }

  /** The attention of one layer for the decodes of a step, of which there is one at least. */
  public double decodeAttentionNs(AttentionCall call, StepFeatures step) {
    final double requests = step.decodeRequests();
    final double seen = requests * call.visible(step.decodeContextTokens() / requests);
    final double queries = step.decodeTokens() / requests;
    final double operations = 2 * seen * queries * call.multiplyAddsPerPair();
    return longest(operations, Arithmetic.BF16, seen * call.kvBytesPerToken());
  }

  @Override
  public double expertsNs(ExpertCall experts, double tokens) {
    final double here = (double) experts.expertsHere() / experts.spec().experts();
    final double rows = tokens * experts.spec().perToken() * here;
    final double moved =
        experts.touchedBytes(tokens)
            + rows * (2.0 * experts.hiddenSize() + 3.0 * experts.intermediateHere()) * Short.BYTES;
    return longest(experts.operations(tokens), experts.format().arithmetic(), moved)
        + shares.kernelNs();
  }

  @Override
  public double elementwiseNs(ForwardPass pass, double tokens) {
    return tokens
            * pass.activationBytesPerToken()
            / (gpu.memoryBytesPerSecond() * shares.memory())
            * NS_PER_SECOND
        + pass.elementwiseKernels() * shares.kernelNs();
  }

  /** A ring: each byte passes {@code 2 (d - 1) / d} times through a device's link. */
  @Override
  public double allReduceNs(double bytes, int devices) {
    final double link =
        gpu.linkBytesPerSecond() == 0
            ? (double) LinearLatencyModel.PCIE_5_X16_BYTES_PER_SECOND
            : gpu.linkBytesPerSecond();
    final double passes = 2.0 * (devices - 1) / devices;
    return passes * bytes / (link * shares.link()) * NS_PER_SECOND
        + shares.linkNs()
        + shares.kernelNs();
  }

  private double longest(double operations, Arithmetic arithmetic, double bytes) {
    final double compute = operations / (gpu.flops(arithmetic) * shares.compute());
    final double memory = bytes / (gpu.memoryBytesPerSecond() * shares.memory());
    return longer(compute, memory) * NS_PER_SECOND + shares.kernelNs();
  }

  private double longer(double compute, double memory) {
    final double longer = Math.max(compute, memory);
    if (sharpness == Double.POSITIVE_INFINITY || longer == 0) {
      return longer;
    }
    final double other = Math.min(compute, memory) / longer;
    return longer * StrictMath.pow(1 + StrictMath.pow(other, sharpness), 1 / sharpness);
  }

  @Override
  public String toString() {
    return "roofline of " + gpu.name();
  }
}
