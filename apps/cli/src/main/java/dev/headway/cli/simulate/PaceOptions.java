package dev.headway.cli.simulate;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.cli.command.OptionNames;
import dev.headway.cuda.CudaException;
import dev.headway.cuda.CudaUnavailableException;
import dev.headway.executor.model.ModelFormatException;
import dev.headway.executor.vector.VectorUnavailableException;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.server.ExecutorChoice;
import dev.headway.server.ExecutorSizes;
import dev.headway.server.ModelSource;
import dev.headway.serving.chat.BuiltInTemplate;
import dev.headway.simulation.run.EngineSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Virtual time or the wall clock, on the command line. */
final class PaceOptions {

  @Option(
      names = "--real-time",
      description =
          "On the wall clock instead of virtual time: requests come when LOAD says, counted from"
              + " the start, and steps take as long as they take.")
  private boolean realTime;

  @Needs("--real-time")
  @Option(
      names = "--executor",
      paramLabel = "NAME",
      description =
          "What computes the steps then: simulated (no model: they take the time of the step model),"
              + " cuda, vector, reference, or auto, as of headway serve (simulated). Prompts are"
              + " made up.")
  private ExecutorChoice.@Nullable Backend backend;

  @Needs(
      value = "--executor",
      is = {"auto", "cuda", "vector", "reference"})
  @Option(
      names = "--weights",
      paramLabel = "DIR",
      description = "Model that it runs, a Hugging Face folder (a built-in one of random weights).")
  private @Nullable Path weights;

  @Needs(
      value = "--executor",
      is = {"auto", "vector"})
  @InRange(from = 1)
  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads of the vector executor (all processors).")
  private @Nullable Integer threads;

  private boolean computes() {
    return backend != null && backend != ExecutorChoice.Backend.SIMULATED;
  }

  /**
   * Opens what the run needs.
   *
   * @param virtual the clock if it is in virtual time
   * @param engine what was asked for of a device's memory
   * @throws IOException if the model cannot be read, or cannot run here
   */
  Pace open(
      VirtualClock virtual, EngineSettings settings, EngineOptions engine, CommandMessages messages)
      throws IOException {
    if (!realTime) {
      return Pace.virtual(virtual, settings);
    }
    final @Nullable ExecutorChoice choice = computes() ? choice() : null;
    if (choice == null || choice.backend() != ExecutorChoice.Backend.CUDA) {
      final ExecutorChoice.Backend runs =
          choice == null ? ExecutorChoice.Backend.SIMULATED : choice.backend();
      requireNoDevice(
          "--gpu-memory-utilization", runs, "; --num-blocks sizes its KV cache", messages);
      requireNoDevice(
          KvCacheDtype.OPTION, runs, ", which keeps keys and values as floats", messages);
    }
    return choice == null
        ? Pace.simulatedInRealTime(settings)
        : computing(choice, settings, engine, messages);
  }

  private static void requireNoDevice(
      String option, ExecutorChoice.Backend runs, String why, CommandMessages messages) {
    if (messages.isGiven(option) && !messages.isGiven("--model")) {
      throw messages.wrong(
          option
              + " needs --model, or a device, and the executor that runs here is "
              + runs.name().toLowerCase(Locale.ROOT)
              + why);
    }
  }

  private Pace computing(
      ExecutorChoice choice,
      EngineSettings settings,
      EngineOptions engine,
      CommandMessages messages)
      throws IOException {
    final ModelSource source = source(settings);
    try {
      final RunClock clock = new RunClock();
      final Executor executor = source.open(choice, clock, sizes(settings, source, engine));
      return Pace.realTime(clock, fitting(settings, executor.shape()), source, executor);
    } catch (IllegalArgumentException
        | IllegalStateException
        | CudaUnavailableException
        | CudaException
        | VectorUnavailableException e) {
      source.close();
      throw new IOException(OptionNames.asWritten(e.getMessage(), messages.spec()), e);
    }
  }

  private ModelSource source(EngineSettings settings) throws IOException {
    try {
      return weights == null
          ? ModelSource.builtIn(settings.seed(), BuiltInTemplate.PLAIN)
          : ModelSource.folder(weights, BuiltInTemplate.PLAIN);
    } catch (ModelFormatException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private ExecutorChoice choice() {
    return ExecutorChoice.of(
        Objects.requireNonNull(backend),
        threads == null ? Runtime.getRuntime().availableProcessors() : threads);
  }

  private static ExecutorSizes sizes(
      EngineSettings settings, ModelSource source, EngineOptions engine) {
    final SchedulerLimits limits = settings.config().limits();
    return new ExecutorSizes(
            settings.kvCache().blockSize(),
            engine.blocksAskedFor(),
            settings.config().kvOffload().hostBlocks(),
            limits.maxNumSeqs(),
            limits.maxNumBatchedTokens(),
            Math.min(limits.maxModelLen(), source.config().maxPositions()),
            engine.memoryShare())
        .withKvCacheType(DeviceKvCache.of(engine.kvCacheDtype()));
  }

  /** No context is longer than the model and its cache hold: requests beyond are refused. */
  private static EngineSettings fitting(EngineSettings settings, ExecutorShape shape) {
    final SchedulerLimits asked = settings.config().limits();
    final int longest = SchedulerLimits.builder(shape).build().maxModelLen();
    final SchedulerLimits limits =
        SchedulerLimits.builder()
            .maxNumSeqs(asked.maxNumSeqs())
            .maxNumBatchedTokens(asked.maxNumBatchedTokens())
            .maxModelLen(Math.min(asked.maxModelLen(), longest))
            .build();
    return settings.withConfig(settings.config().toBuilder().limits(limits).build());
  }
}
