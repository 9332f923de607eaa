package dev.headway.simulation.kernel;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.AttentionCall;
import dev.headway.simulation.model.ExpertCall;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.MatMul;
import dev.headway.simulation.step.OperatorTimes;
import dev.headway.simulation.step.Roofline;
import dev.headway.simulation.step.Roofline.Shares;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Kernels of one device, measured for any model: the tables of NVIDIA's aiconfigurator, {@code
 * <device>_gemm_perf*.csv}, {@code <device>_context_attention_perf*.csv}, {@code
 * <device>_generation_attention_perf*.csv} and, for several devices, {@code
 * <device>_custom_allreduce_perf*.csv}, plain or gzip, in one folder.
 *
 * <p>What was not measured takes what the roofline says: routed experts, latent attention, weights
 * of another format, and all that only moves activations. {@link #estimated} names it. Measurements
 * that are faster than the device can be are left out and {@linkplain #dropped counted}.
 *
 * <p>One thread; allocates at the first use of an operator only.
 */
public final class KernelDatabase implements OperatorTimes {

  private final String device;
  private final GemmKernels gemms;
  private final AttentionTimes attention;
  private final @Nullable AllReduceKernels allReduces;
  private final Roofline roofline;
  private final Set<String> estimated = new TreeSet<>();

  private KernelDatabase(Path folder, String device, GpuSpec gpu, EightBit eightBit)
      throws IOException {
    this.device = device;
    final Roofline peak = new Roofline(gpu, Shares.PEAK);
    roofline = new Roofline(gpu);
    gemms = GemmKernels.read(ProfileCsv.find(folder, device + "_gemm"), peak, eightBit.label);
    attention =
        AttentionTimes.read(
            ProfileCsv.find(folder, device + "_context_attention"),
            ProfileCsv.find(folder, device + "_generation_attention"),
            peak);
    final Path reduces = ProfileCsv.findOrNull(folder, device + "_custom_allreduce");
    allReduces = reduces == null ? null : AllReduceKernels.read(reduces);
  }

  /** How 8-bit weights are scaled. */
  public enum EightBit {
    /** One scale per tensor or channel. */
    PER_TENSOR("fp8"),
    /** A scale per block of 128 x 128. */
    PER_BLOCK("fp8_block");

    private final String label;

    EightBit(String label) {
      this.label = label;
    }
  }

  /** Whether a folder has tables of this form for a device. */
  public static boolean isIn(Path folder, GpuSpec gpu) {
    return ProfileCsv.findOrNull(folder, nameOf(gpu) + "_gemm") != null;
  }

  /**
   * Reads the tables of a device.
   *
   * @param gpu the device; its name, with {@code _} for {@code -}, begins the names of the files
   * @throws IOException if a table is missing or is not of that form; names the file and the line
   */
  public static KernelDatabase read(Path folder, GpuSpec gpu, EightBit eightBit)
      throws IOException {
    return new KernelDatabase(folder, nameOf(gpu), gpu, eightBit);
  }

  /** How the names of a device's tables begin. */
  static String nameOf(GpuSpec gpu) {
    return gpu.name().replace('-', '_');
  }

  /** Measurements left out because they are faster than the device. */
  public int dropped() {
    return gemms.dropped() + attention.dropped();
  }

  /** The operators asked for so far that were not measured. */
  public Set<String> estimated() {
    return Set.copyOf(estimated);
  }

  @Override
  public double matMulNs(MatMul matMul, double rows) {
    if (gemms.has(matMul.format())) {
      return gemms.ns(matMul, rows);
    }
    estimated.add("gemm of " + matMul.format().label());
    return roofline.matMulNs(matMul, rows);
  }

  @Override
  public boolean isBoundByMemory(MatMul matMul, double rows) {
    return roofline.isBoundByMemory(matMul, rows);
  }

  @Override
  public double attentionNs(AttentionCall call, StepFeatures step) {
    double ns = 0;
    if (step.prefillRequests() > 0) {
      ns += prefillNs(call, step);
    }
    if (step.decodeRequests() > 0) {
      ns += decodeNs(call, step);
    }
    return ns;
  }

  private double prefillNs(AttentionCall call, StepFeatures step) {
    if (attention.hasPrefills(call)) {
      return attention.prefillNs(call, step);
    }
    estimated.add("prefill attention");
    return roofline.prefillAttentionNs(call, step);
  }

  private double decodeNs(AttentionCall call, StepFeatures step) {
    if (attention.hasDecodes(call)) {
      return attention.decodeNs(call, step);
    }
    estimated.add("decode attention");
    return roofline.decodeAttentionNs(call, step);
  }

  @Override
  public double expertsNs(ExpertCall experts, double tokens) {
    estimated.add("routed experts");
    return roofline.expertsNs(experts, tokens);
  }

  @Override
  public double elementwiseNs(ForwardPass pass, double tokens) {
    estimated.add("norms, activations, cache writes");
    return roofline.elementwiseNs(pass, tokens);
  }

  @Override
  public double allReduceNs(double bytes, int devices) {
    if (allReduces != null && allReduces.has(devices)) {
      return allReduces.ns(bytes, devices);
    }
    estimated.add("all-reduce of " + devices + " devices");
    return roofline.allReduceNs(bytes, devices);
  }

  @Override
  public String toString() {
    return "kernels of " + device;
  }
}
