package dev.headway.cli.serve;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.RequestTimeouts;
import dev.headway.cli.command.ChatTemplateOption;
import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.command.ExitCode;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.cli.command.OptionNames;
import dev.headway.cli.command.UntilStopped;
import dev.headway.cli.simulate.KvCacheDtype;
import dev.headway.cli.simulate.PolicyChoice;
import dev.headway.cuda.CudaException;
import dev.headway.cuda.CudaUnavailableException;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFormatException;
import dev.headway.executor.vector.VectorUnavailableException;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.FullQueuePolicy;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.server.ExecutorChoice;
import dev.headway.server.ExecutorSizes;
import dev.headway.server.ModelSource;
import dev.headway.server.OpenAiServer;
import dev.headway.server.ServerOptions;
import dev.headway.server.WorkerInfo;
import dev.headway.serving.ServedModel;
import dev.headway.serving.chat.ChatTemplate;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headway serve}: a model behind OpenAI's protocol. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    header = "Serves a model over HTTP, in OpenAI's protocol.",
    description = {
      "",
      "Without --model it serves a built-in model of random weights, whose answers are gibberish:"
          + " enough to try a client, the metrics or the journal. Nothing is downloaded. SIGTERM"
          + " and Ctrl-C let requests under way finish.",
      ""
    },
    optionListHeading = "Options:%n",
    exitCodeList = {
      "1:The server could not start; standard error says why.",
      "2:The command line is wrong.",
      "130, 143:Stopped by Ctrl-C or SIGTERM."
    })
public final class ServeCommand implements Callable<Integer> {

  /** What an executor that does not return is waited for at the end. */
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(10);

  private static final String NO_DELAY = "sun.net.httpserver.nodelay";

  @Mixin private CommandMessages messages;

  @Option(
      names = "--model",
      paramLabel = "MODEL",
      description =
          "The model: its Hugging Face folder, with config.json, safetensors, tokenizer.json;"
              + " or a .gguf file with tokenizer.json beside it.")
  private @Nullable Path model;

  @Needs("--model")
  @Needs(
      value = "--executor",
      is = {"auto", "cuda", "vector", "reference"},
      byDefault = true)
  @Option(
      names = "--random-weights",
      paramLabel = "SEED",
      description =
          "Make the weights up, of the shape that config.json of --model says: the folder has none."
              + " For how long steps take; answers are gibberish. Without a tokenizer.json texts are"
              + " bytes.")
  private @Nullable Long randomWeights;

  @Option(
      names = "--served-model-name",
      paramLabel = "NAME",
      description = "What clients call the model (the folder's name).")
  private @Nullable String servedName;

  @Option(
      names = ChatTemplateOption.NAME,
      paramLabel = "NAME|FILE",
      description =
          "What makes a prompt of messages: plain, chatml, llama3 or mistral, which are built in,"
              + " or a file in Jinja (the model's own, or plain if it has none).")
  private @Nullable String chatTemplate;

  @Option(
      names = "--executor",
      paramLabel = "NAME",
      description =
          "Who runs the model: cuda, vector (the CPU's vector units), reference (plain Java, slow),"
              + " or auto: the first of them that can run here; or simulated: no model runs, steps"
              + " take the time that --latency says and tokens are made up (auto).")
  private ExecutorChoice.Backend backend = ExecutorChoice.Backend.AUTO;

  @Needs(
      value = "--executor",
      is = {"auto", "vector"},
      byDefault = true)
  @InRange(from = 1)
  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads of the vector executor (all processors).")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the built-in model's weights, or of simulated tokens (${DEFAULT-VALUE}).")
  private long seed = 1;

  @ArgGroup(validate = false, heading = "%nSimulated executor:%n")
  private SimulatedSteps simulated = new SimulatedSteps();

  @ArgGroup(validate = false, heading = "%nHTTP:%n")
  private ServeHttpOptions http = new ServeHttpOptions();

  @ArgGroup(validate = false, heading = "%nStructured output and tools:%n")
  private ServeStructureOptions structure = new ServeStructureOptions();

  @ArgGroup(validate = false, heading = "%nWishes of requests:%n")
  private ServeWishOptions wishes = new ServeWishOptions();

  @ArgGroup(validate = false, heading = "%nEngine:%n")
  private ServeEngineOptions engineOptions = new ServeEngineOptions();

  @ArgGroup(validate = false, heading = "%nSpeculation:%n")
  private ServeSpeculationOptions speculation = new ServeSpeculationOptions();

  @ArgGroup(validate = false, heading = "%nAdapters:%n")
  private ServeAdapterOptions adapters = new ServeAdapterOptions();

  @ArgGroup(validate = false, heading = "%nWatching:%n")
  private WatchOptions watching = new WatchOptions();

  @ArgGroup(validate = false, heading = "%nFor routers and planners:%n")
  private WireOptions wire = new WireOptions();

  @Override
  public Integer call() throws IOException {
    if (System.getProperty(NO_DELAY) == null) {
      System.setProperty(NO_DELAY, "true"); // of the JDK's server, before a probe loads it
    }
    try (ModelSource source = source()) {
      final Serving serving = serve(source);
      UntilStopped.await(
          "headway-shutdown", serving.stop, () -> messages.print(serving.announcement));
      return ExitCode.OK;
    } catch (ModelFormatException | VectorUnavailableException e) {
      throw new IOException(e.getMessage(), e);
    } catch (CudaUnavailableException | CudaException e) {
      throw new IOException(OptionNames.asWritten(e.getMessage(), messages.spec()), e);
    } catch (IllegalArgumentException e) {
      throw messages.wrong(OptionNames.asWritten(e.getMessage(), messages.spec()));
    }
  }

  private ModelSource source() throws IOException {
    if (model == null) {
      return ModelSource.builtIn(seed, ChatTemplateOption.template(chatTemplate, null));
    }
    ModelPath.require("--model", "--model=", model);
    final ChatTemplate template = ChatTemplateOption.template(chatTemplate, Model.folderOf(model));
    return randomWeights == null
        ? ModelSource.folder(model, template)
        : ModelSource.randomFolder(model, randomWeights, template);
  }

  /** A server that runs: what there is to say of it, and how to end it. */
  private record Serving(String announcement, Runnable stop) {}

  private Serving serve(ModelSource source) throws IOException {
    final ServerOptions listening = listening(); // checked before a model is loaded
    final String name = servedName == null ? source.name() : servedName;
    final int modelLen =
        backend == ExecutorChoice.Backend.SIMULATED
            ? SimulatedSteps.MODEL_LEN
            : source.config().maxPositions();
    final PolicyChoice policy = engineOptions.policy();
    final RequestTimeouts timeouts = engineOptions.timeouts();
    final FullQueuePolicy fullQueue = engineOptions.fullQueue();
    final SystemNanoClock clock = new SystemNanoClock();
    final ExecutorChoice choice = ExecutorChoice.of(backend, threads);
    final ExecutorSizes sizes = sizes(modelLen, choice);
    requireThatAllActs(choice.backend());
    final Executor executor = open(source, choice, clock, sizes);
    final SchedulerConfig config = config(modelLen, executor);
    final EngineBuilder builder =
        HeadwayEngine.builder(executor)
            .config(config)
            .clock(clock)
            .defaultTimeouts(timeouts)
            .onFullQueue(fullQueue)
            .eviction(engineOptions.eviction.policy())
            .stallThreshold(Duration.ofSeconds(http.stallSeconds))
            .attribute("model", name)
            .attribute("tensor_parallel_size", "1"); // its executors run on one device
    policy.policies().forEach(builder::policy);
    engineOptions.nameBlocks(builder);
    final WatchOptions.Watchers watchers = watching.watch(builder, name, wire, http.host());
    final Engine engine = built(builder, watchers);
    if (config.prefixCache().residencySample() > 0) {
      watchers.showResidency(engine, name);
    }
    engine.start(task -> Thread.ofPlatform().name("headway-engine").unstarted(task));
    final ServedModel served =
        source.served(name, config.limits().maxModelLen()).withAdapters(adapters.names());
    final OpenAiServer server = start(engine, served, listening, workerInfo(config), watchers);
    final String announcement =
        StartUp.of(
            source,
            name,
            choice,
            executor,
            config,
            engineOptions,
            adapters,
            watchers,
            listening,
            server.address());
    final Duration drain = Duration.ofSeconds(http.drainTimeoutSeconds);
    return new Serving(announcement, () -> stop(server, engine, drain));
  }

  private ExecutorSizes sizes(int modelLen, ExecutorChoice choice) {
    return engineOptions
        .sizes(modelLen)
        .withNgrams(
            speculation.ngrams(choice.backend()), speculation.speculation().numSpeculativeTokens())
        .withAdapters(adapters.adapters());
  }

  /** What the scheduler gets; the executor is closed if that is refused. */
  private SchedulerConfig config(int modelLen, Executor executor) {
    try {
      return engineOptions.config(modelLen, executor.shape()).toBuilder()
          .speculation(speculation.speculation())
          .maxLoras(adapters.maxLoras())
          .build();
    } catch (IllegalArgumentException e) {
      executor.close();
      throw e;
    }
  }

  /** Begins to listen; the engine is closed if that fails. */
  private static OpenAiServer start(
      Engine engine,
      ServedModel served,
      ServerOptions listening,
      WorkerInfo worker,
      WatchOptions.Watchers watchers)
      throws IOException {
    try {
      return OpenAiServer.start(
          engine,
          served,
          listening
              .withEngineTimes(watchers.engineTimes(), watchers.perRequestMetrics())
              .withWorker(worker)
              .withPages(watchers.pages()),
          watchers.text());
    } catch (IOException e) {
      engine.close();
      throw e;
    }
  }

  private ServerOptions listening() {
    final ServerOptions usual = http.options().withStructure(structure.options());
    return usual.withLimits(usual.limits().withWishes(wishes.limits(engineOptions.timeouts())));
  }

  /** What an option needs that is known only once the model and the executor are. */
  private void requireThatAllActs(ExecutorChoice.Backend chosen) {
    requireDevice("--gpu-memory-utilization", chosen, "; --num-blocks sizes its KV cache");
    requireDevice(KvCacheDtype.OPTION, chosen, ", which keeps keys and values as floats");
    requireDevice(DevicePrecision.OPTION, chosen, ", which leaves inputs as they are");
    if (messages.isGiven("--seed") && model != null && chosen != ExecutorChoice.Backend.SIMULATED) {
      throw new IllegalArgumentException(
          "--seed is of the built-in model's weights and of --executor simulated: --model="
              + model);
    }
  }

  private void requireDevice(String option, ExecutorChoice.Backend chosen, String otherwise) {
    if (messages.isGiven(option) && chosen != ExecutorChoice.Backend.CUDA) {
      throw new IllegalArgumentException(
          option
              + " needs a device, and the executor that can run here is "
              + chosen.name().toLowerCase(Locale.ROOT)
              + otherwise);
    }
  }

  private WorkerInfo workerInfo(SchedulerConfig config) {
    return new WorkerInfo(
        model == null ? "built-in" : model.toString(),
        config.limits().maxNumSeqs(),
        config.limits().maxNumBatchedTokens(),
        engineOptions.blockSize,
        wire.kvEventsConfig());
  }

  /**
   * The options are in range here: what is refused is the model, or the machine too small for it.
   */
  private Executor open(
      ModelSource source, ExecutorChoice choice, SystemNanoClock clock, ExecutorSizes sizes)
      throws IOException {
    if (choice.backend() == ExecutorChoice.Backend.SIMULATED) {
      return simulated.open(source.config().vocabularySize(), clock, sizes, seed);
    }
    try {
      return source.open(choice, clock, sizes);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new IOException(OptionNames.asWritten(e.getMessage(), messages.spec()), e);
    }
  }

  private static Engine built(EngineBuilder builder, WatchOptions.Watchers watchers)
      throws IOException {
    try {
      return builder.build();
    } catch (IllegalArgumentException e) {
      watchers.discard();
      throw e;
    } catch (IllegalStateException e) { // a probe cannot be made
      watchers.discard();
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Takes no more requests, finishes those under way, closes. */
  private void stop(OpenAiServer server, Engine engine, Duration longest) {
    messages.print(
        "\n  draining: requests under way="
            + server.underWay()
            + ", up to "
            + longest.toSeconds()
            + " s ("
            + (SecondInterrupt.endsAtOnce()
                ? "a second Ctrl-C ends it at once"
                : "kill -9 " + ProcessHandle.current().pid() + " ends it at once")
            + ")\n");
    try {
      final boolean all = server.drain(longest);
      engine.close(LONGEST_CLOSE); // ends what is left and notifies the clients
      if (!all) {
        server.drain(Duration.ofSeconds(1));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      server.close();
    }
    messages.print("  stopped: requests=" + engine.stats().submitted() + "\n");
  }
}
