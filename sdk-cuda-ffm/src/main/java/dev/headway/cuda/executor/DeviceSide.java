package dev.headway.cuda.executor;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.time.NanoClock;
import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.kernel.AttentionKernels;
import dev.headway.cuda.kernel.Kernels;
import dev.headway.cuda.kernel.RoundedProducts;
import dev.headway.executor.model.InputQuantization;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.plan.PlanCheck;
import dev.headway.executor.reference.Precision;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Everything the executor has on the device: made in one go, closed in one go. Device thread only.
 */
final class DeviceSide implements AutoCloseable {
  private static final long LIBRARY_WORKSPACE_BYTES = 32L << 20;

  private final CudaDevice device;
  private final BlasLt library;
  private final DeviceWatch watch;
  private final ExecutorShape shape;
  private final PlanCheck check;
  private final Map<String, String> attributes;
  private final BlockTables tables;
  private final Step[] steps;

  private DeviceSide(
      CudaDevice device,
      BlasLt library,
      DeviceWatch watch,
      ExecutorShape shape,
      PlanCheck check,
      Map<String, String> attributes,
      BlockTables tables,
      Step[] steps) {
    this.device = device;
    this.library = library;
    this.watch = watch;
    this.shape = shape;
    this.check = check;
    this.attributes = attributes;
    this.tables = tables;
    this.steps = steps;
  }

  /** Opens the device, moves the model there and takes the memory; nothing is left if it throws. */
  static DeviceSide open(
      Model model, List<LoraWeights> adapters, ExecutorOptions options, NanoClock clock) {
    final CudaDevice device = CudaDevice.open(options.deviceOrdinal());
    try {
      return open(device, model, adapters, options, clock);
    } catch (Throwable failure) {
      closeAfter(failure, device);
      throw failure;
    }
  }

  private static void closeAfter(Throwable failure, AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      failure.addSuppressed(e);
    }
  }

  private static DeviceSide open(
      CudaDevice device,
      Model model,
      List<LoraWeights> adapters,
      ExecutorOptions options,
      NanoClock clock) {
    final BlasLt library = BlasLt.open(device, LIBRARY_WORKSPACE_BYTES);
    final DeviceWatch watch = new DeviceWatch(device, clock);
    try {
      return load(device, library, watch, model, adapters, options);
    } catch (Throwable failure) {
      closeAfter(failure, watch);
      closeAfter(failure, library);
      throw failure;
    }
  }

  private static DeviceSide load(
      CudaDevice device,
      BlasLt library,
      DeviceWatch watch,
      Model model,
      List<LoraWeights> adapters,
      ExecutorOptions options) {
    final PageFormat format = PageFormat.of(options.kvCacheType(), model);
    final StartProgress progress = new StartProgress();
    final ModelConfig config = model.config().withMaxPositions(options.maxModelLen());
    final CudaStream stream = device.newStream();
    final RoundedProducts roundedProducts =
        options.precision() == Precision.QUANTIZED ? RoundedProducts.load(device) : null;
    final Kernels kernels = Kernels.load(device);
    final ForwardShape cut = new ForwardShape(config, options);
    final AttentionKernels attention = kernels.attention(cut.attention());
    progress.passed("loaded the kernels");
    final DeviceWeights weights = DeviceWeights.upload(device, stream, model, options.precision());
    progress.passed("loaded the weights");
    final AdapterWeights adapted = AdapterWeights.upload(device, stream, config, adapters);
    final LoraForward lora =
        new LoraForward(device, kernels.lora(), adapted, options.maxNumBatchedTokens());
    final Workspace work =
        new Workspace(
            device,
            config,
            options,
            cut,
            attention.decodeScratchBytes(cut.mostItems()),
            attention.prefillScratchBytes(cut.mostRecords()),
            roundedProducts == null
                ? kernels.linear().workspaceBytes()
                : Math.max(kernels.linear().workspaceBytes(), roundedProducts.workspaceBytes()));
    stream.fill(work.products, 0, work.products.bytes(), (byte) 0); // no product begun
    stream.fill(work.sampling, 0, work.sampling.bytes(), (byte) 0);
    stream.fill(work.logprobState, 0, work.logprobState.bytes(), (byte) 0);
    stream.fill(work.decodeScratch, 0, work.decodeScratch.bytes(), (byte) 0);
    stream.fill(work.prefillScratch, 0, work.prefillScratch.bytes(), (byte) 0);
    uploadFrequencies(device, stream, config, work);

    final long products = work.products.address();
    final RoundedGemm rounded =
        roundedProducts == null
            ? null
            : new RoundedGemm(
                device, roundedProducts, library, products, weights, options.maxNumBatchedTokens());
    final Gemm gemm =
        new Gemm(
            kernels.linear(),
            library,
            products,
            widened(device, library, options, weights),
            rounded);
    final ExpertsForward experts =
        config.experts() == null
            ? null
            : new ExpertsForward(
                device,
                config,
                config.experts(),
                options.maxNumBatchedTokens(),
                kernels,
                gemm,
                work);
    final TokenChoice choice =
        new TokenChoice(device, kernels, work, config.vocabularySize(), options.maxSamples());
    final Function<PagedKvCache, ForwardPass> passes =
        pages ->
            new ForwardPass(
                stream,
                work,
                new LlamaForward(
                    config,
                    kernels,
                    new AttentionForward(
                        config, cut, kernels.rows(), attention, weights, pages, work),
                    gemm,
                    weights,
                    work,
                    lora,
                    experts),
                cut);
    final GraphCache graphs =
        options.graphs() == CudaGraphs.ENABLED
            ? new GraphCache(BatchSizes.all(options.maxSamples()))
            : new GraphCache();
    final CacheStart start = new CacheStart(device, stream, options, cut, format, passes);
    final CacheStart.Ready ready;
    try (DeviceWarmUp warmUp =
        new DeviceWarmUp(
            device,
            stream,
            work,
            options,
            choice,
            cut,
            config.experts() == null ? null : ExpertsForward.router(config.experts()),
            library.isPresent(),
            progress)) {
      ready = start.start(warmUp, graphs);
    }
    final StepLauncher launcher =
        new StepLauncher(
            stream, work, ready.pages(), ready.forward(), choice, graphs, watch, library);
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(ready.shape())
            .maxNumSeqs(options.maxNumSeqs())
            .vocabularySize(config.vocabularySize())
            .maxNumBatchedTokens(options.maxNumBatchedTokens())
            .maxModelLen(options.maxModelLen())
            .maxStepsInFlight(options.stepsInFlight())
            .hostBlocks(options.hostBlocks())
            .build();
    final PlanCheck check =
        new PlanCheck(
            shape, options.maxModelLen(), options.ngrams() != null, options.adapters().all());
    final BlockTables tables =
        new BlockTables(options.maxNumSeqs(), cut.layers().groups(), cut.maxBlocks());
    final Step[] steps =
        steps(device, launcher, check, cut, options, shape, tables, work.batch.bytes());
    stream.synchronize();
    progress.ready(graphs.describe());
    final Map<String, String> attributes =
        attributes(device, library, kernels, graphs, weights, adapted, format, model, rounded);
    return new DeviceSide(device, library, watch, shape, check, attributes, tables, steps);
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

  private static Map<String, String> attributes(
      CudaDevice device,
      BlasLt library,
      Kernels kernels,
      GraphCache graphs,
      DeviceWeights weights,
      AdapterWeights adapters,
      PageFormat format,
      Model model,
      @Nullable RoundedGemm rounded) {
    final String products =
        library.isPresent()
            ? "cuBLASLt: "
                + library.name()
                + (weights.codeBytes() == 0 || rounded != null
                    ? ""
                    : "; own kernels with eight-bit weights below "
                        + Gemm.MIN_WIDENED_ROWS
                        + " rows")
            : "own kernels, no cuBLASLt: " + library.absentBecause();
    final String experts = weights.mxfp4Bytes() == 0 ? "" : "; own kernels with experts in MXFP4";
    final Map<String, String> told = new HashMap<>();
    if (adapters.bytes() > 0) {
      told.put("adapter_bytes", Long.toString(adapters.bytes()));
    }
    final String inputs = InputQuantization.describe(model);
    if (rounded != null) {
      told.put("inputs", inputs + "; " + rounded.describe());
    } else if (!inputs.isEmpty()) {
      told.put("inputs", "bfloat16; the checkpoint asks for " + inputs);
    }
    told.putAll(
        Map.of(
            "hardware",
            device.info().name(),
            "kernels",
            kernels.origin(),
            "products",
            products + experts,
            "kv_cache",
            format.words(),
            "graphs",
            graphs.describe(),
            "batch_sizes",
            Arrays.stream(graphs.sizes())
                .mapToObj(Integer::toString)
                .collect(Collectors.joining(" ")),
            "product_rows",
            library.isPresent() ? Integer.toString(Gemm.MIN_LIBRARY_ROWS) : ""));
    return Map.copyOf(told);
  }

  private static void uploadFrequencies(
      CudaDevice device, CudaStream stream, ModelConfig config, Workspace work) {
    uploadFrequencies(device, stream, config.inverseFrequencies(), work, 0);
    final float[] local = config.inverseFrequencies(config.localRope());
    uploadFrequencies(device, stream, local, work, Workspace.frequencyBytes(config));
  }

  private static void uploadFrequencies(
      CudaDevice device, CudaStream stream, float[] table, Workspace work, long at) {
    final long bytes = (long) Float.BYTES * table.length;
    try (PinnedBuffer pinned = device.allocatePinned(MemoryUse.of("rotary frequencies"), bytes)) {
      MemorySegment.copy(table, 0, pinned.segment(), ValueLayout.JAVA_FLOAT, 0, table.length);
      stream.copyToDevice(work.inverseFrequencies, at, pinned, 0, bytes);
      stream.synchronize();
    }
  }

  private static Step[] steps(
      CudaDevice device,
      StepLauncher launcher,
      PlanCheck check,
      ForwardShape cut,
      ExecutorOptions options,
      ExecutorShape shape,
      BlockTables tables,
      long batchBytes) {
    final LastSamples lastSamples = new LastSamples();
    final Step[] steps = new Step[options.stepsInFlight()];
    for (int i = 0; i < steps.length; i++) {
      final BatchPlan plan = new BatchPlan(options, check, lastSamples, tables, cut);
      final StepResults results = new StepResults(options.maxSamples(), shape.vocabularySize());
      final StepSlot slot = new StepSlot(device, plan, results, batchBytes, options.maxSamples());
      steps[i] = new Step(plan, results, slot, launcher);
    }
    return steps;
  }

  ExecutorShape shape() {
    return shape;
  }

  /** What journals say of the device, of what runs on it, and of recordings. Any thread. */
  Map<String, String> attributes() {
    return attributes;
  }

  PlanCheck check() {
    return check;
  }

  /** What the device holds of block tables. Engine thread. */
  BlockTables tables() {
    return tables;
  }

  Step[] steps() {
    return steps;
  }

  /** Waits for what is enqueued and gives everything back. */
  @Override
  public void close() {
    watch.close();
    device.settle(); // what is enqueued still uses the library's workspace
    library.close();
    device.close();
  }
}
