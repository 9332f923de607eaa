package dev.headway.cuda.executor;

import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.kernel.AttentionKernels;
import dev.headway.cuda.kernel.Kernels;
import dev.headway.cuda.kernel.RoundedProducts;
import dev.headway.cuda.kernel.RouterShape;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.reference.Precision;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A model on the device and all that computes with it, but for its KV cache, which takes what is
 * left of the memory. Device thread only.
 */
final class DeviceModel {
  final ModelConfig config;
  final CudaStream stream;
  final Kernels kernels;
  final ForwardShape cut;
  final DeviceWeights weights;
  final AdapterWeights adapters;
  final Workspace work;
  final TokenChoice choice;
  final @Nullable RoundedGemm rounded;
  private final AttentionKernels attention;
  private final LoraForward lora;
  private final Gemm gemm;
  private final @Nullable ExpertsForward experts;

  /**
   * Loads it, and takes the memory that it needs beside its cache.
   *
   * @param folders the adapters of the options, in their order
   */
  DeviceModel(
      CudaDevice device,
      BlasLt library,
      Model model,
      List<LoraWeights> folders,
      ExecutorOptions options,
      StartProgress progress) {
    config = model.config().withMaxPositions(options.maxModelLen());
    stream = device.newStream();
    final RoundedProducts roundedProducts =
        options.precision() == Precision.QUANTIZED ? RoundedProducts.load(device) : null;
    kernels = Kernels.load(device);
    cut = new ForwardShape(config, options);
    attention = kernels.attention(cut.attention());
    progress.passed("loaded the kernels");
    weights = DeviceWeights.upload(device, stream, model, options.precision());
    progress.passed("loaded the weights");
    adapters = AdapterWeights.upload(device, stream, config, folders);
    final int rows = options.maxNumBatchedTokens();
    lora = new LoraForward(device, kernels.lora(), adapters, rows);
    work =
        new Workspace(
            device,
            config,
            options,
            cut,
            attention.decodeScratchBytes(cut.mostItems()),
            attention.prefillScratchBytes(cut.mostRecords()),
            productBytes(kernels, roundedProducts));
    work.begin(stream);
    uploadFrequencies(device);

    final long products = work.products.address();
    rounded =
        roundedProducts == null
            ? null
            : new RoundedGemm(device, roundedProducts, library, products, weights, rows);
    final long widened = widened(device, library, options, weights);
    gemm = new Gemm(kernels.linear(), library, products, widened, rounded);
    experts =
        config.experts() == null
            ? null
            : new ExpertsForward(device, config, config.experts(), rows, kernels, gemm, work);
    choice = new TokenChoice(device, kernels, work, config.vocabularySize(), options.maxSamples());
  }

  private static long productBytes(Kernels kernels, @Nullable RoundedProducts rounded) {
    final long plain = kernels.linear().workspaceBytes();
    return rounded == null ? plain : Math.max(plain, rounded.workspaceBytes());
  }

  /** Room for a matrix of codes in bf16; 0 if no product is to want it. */
  private static long widened(
      CudaDevice device, BlasLt library, ExecutorOptions options, DeviceWeights weights) {
    final boolean wanted =
        library.isPresent()
            && options.maxNumBatchedTokens() >= Gemm.MIN_WIDENED_ROWS
            && weights.largestCodes() > 0;
    return wanted
        ? device
            .allocate(
                new MemoryUse("widened weights", "maxNumBatchedTokens"), 2 * weights.largestCodes())
            .address()
        : 0;
  }

  private void uploadFrequencies(CudaDevice device) {
    uploadFrequencies(device, config.inverseFrequencies(), 0);
    final float[] local = config.inverseFrequencies(config.localRope());
    uploadFrequencies(device, local, Workspace.frequencyBytes(config));
  }

  private void uploadFrequencies(CudaDevice device, float[] table, long at) {
    final long bytes = (long) Float.BYTES * table.length;
    try (PinnedBuffer pinned = device.allocatePinned(MemoryUse.of("rotary frequencies"), bytes)) {
      MemorySegment.copy(table, 0, pinned.segment(), ValueLayout.JAVA_FLOAT, 0, table.length);
      stream.copyToDevice(work.inverseFrequencies, at, pinned, 0, bytes);
      stream.synchronize();
    }
  }

  /** How tokens find their experts; null where there are none. */
  @Nullable RouterShape router() {
    return config.experts() == null ? null : ExpertsForward.router(config.experts());
  }

  /** The forward pass over a cache. */
  ForwardPass over(PagedKvCache pages) {
    final AttentionForward attending =
        new AttentionForward(config, cut, kernels.rows(), attention, weights, pages, work);
    final LlamaForward layers =
        new LlamaForward(config, kernels, attending, gemm, weights, work, lora, experts);
    return new ForwardPass(stream, work, layers, cut);
  }
}
