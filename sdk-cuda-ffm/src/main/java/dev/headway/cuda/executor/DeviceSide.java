package dev.headway.cuda.executor;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.time.NanoClock;
import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.plan.PlanCheck;
import java.util.List;
import java.util.Map;

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
    final DeviceModel on = new DeviceModel(device, library, model, adapters, options, progress);
    final GraphCache graphs =
        options.graphs() == CudaGraphs.ENABLED
            ? new GraphCache(BatchSizes.all(options.maxSamples()))
            : new GraphCache();
    final CacheStart start = new CacheStart(device, on.stream, options, on.cut, format, on::over);
    final CacheStart.Ready ready;
    try (DeviceWarmUp warmUp =
        new DeviceWarmUp(
            device,
            on.stream,
            on.work,
            options,
            on.choice,
            on.cut,
            on.router(),
            library.isPresent(),
            progress)) {
      ready = start.start(warmUp, graphs);
    }
    final StepLauncher launcher =
        new StepLauncher(
            on.stream, on.work, ready.pages(), ready.forward(), on.choice, graphs, watch, library);
    final ExecutorShape shape = shape(options, on.config, ready.shape());
    final PlanCheck check =
        new PlanCheck(
            shape, options.maxModelLen(), options.ngrams() != null, options.adapters().all());
    final BlockTables tables =
        new BlockTables(options.maxNumSeqs(), on.cut.layers().groups(), on.cut.maxBlocks());
    final Step[] steps = steps(device, launcher, check, on, options, shape, tables);
    on.stream.synchronize();
    progress.ready(graphs.describe());
    final Map<String, String> attributes =
        DeviceAttributes.of(device, library, on, graphs, format, model);
    return new DeviceSide(device, library, watch, shape, check, attributes, tables, steps);
  }

  private static ExecutorShape shape(
      ExecutorOptions options, ModelConfig config, KvCacheShape kvCache) {
    return ExecutorShape.builder()
        .kvCache(kvCache)
        .maxNumSeqs(options.maxNumSeqs())
        .vocabularySize(config.vocabularySize())
        .maxNumBatchedTokens(options.maxNumBatchedTokens())
        .maxModelLen(options.maxModelLen())
        .maxStepsInFlight(options.stepsInFlight())
        .hostBlocks(options.hostBlocks())
        .build();
  }

  private static Step[] steps(
      CudaDevice device,
      StepLauncher launcher,
      PlanCheck check,
      DeviceModel on,
      ExecutorOptions options,
      ExecutorShape shape,
      BlockTables tables) {
    final LastSamples lastSamples = new LastSamples();
    final Step[] steps = new Step[options.stepsInFlight()];
    for (int i = 0; i < steps.length; i++) {
      final BatchPlan plan = new BatchPlan(options, check, lastSamples, tables, on.cut);
      final StepResults results = new StepResults(options.maxSamples(), shape.vocabularySize());
      final StepSlot slot =
          new StepSlot(device, plan, results, on.work.batch.bytes(), options.maxSamples());
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
