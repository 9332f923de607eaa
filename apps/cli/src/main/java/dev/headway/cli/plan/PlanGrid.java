package dev.headway.cli.plan;

import dev.headway.cli.command.CommandMessages;
import dev.headway.cli.simulate.EngineOptions;
import dev.headway.cli.simulate.PolicyChoice;
import dev.headway.simulation.fleet.FleetRun;
import dev.headway.simulation.fleet.FleetSettings;
import dev.headway.simulation.hardware.GpuCatalog;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.LaunchMode;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.ModelSpecException;
import dev.headway.simulation.model.ModelSpecReader;
import dev.headway.simulation.model.Parallelism;
import dev.headway.simulation.plan.PlanCandidate;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.step.NoRoomException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All combinations of the axes, those that cannot be with the reason. One thread. */
final class PlanGrid {

  /** Most configurations of a plan. */
  private static final int MOST = 100_000;

  private static final double GIB = 1L << 30;

  private final PlanModel model;
  private final PlanAxes axes;
  private final PolicyChoice policy;
  private final List<String> gpus;
  private final Map<String, String> stepModels;
  private final Map<String, String> kernels;
  private final Prices prices;
  private final ModelSpec spec;
  private final List<Configuration> configurations = new ArrayList<>();

  private PlanGrid(
      PlanModel model, PlanAxes axes, Map<String, Double> given, CommandMessages messages) {
    this.model = model;
    this.axes = axes;
    policy = model.policy();
    final GpuCatalog catalog = model.catalog();
    gpus = axes.gpus().stream().map(gpu -> catalog.get(gpu).name()).distinct().toList();
    stepModels = model.stepModels(gpus, messages);
    kernels = model.kernels(gpus, messages);
    prices = Prices.of(given, catalog, gpus);
    spec = ModelSpecReader.read(model.model());
    addAll();
  }

  /** Makes all of them; throws what is wrong with the command line. */
  static PlanGrid of(
      PlanModel model, PlanAxes axes, Map<String, Double> prices, CommandMessages messages) {
    axes.check(messages);
    try {
      return new PlanGrid(model, axes, prices, messages);
    } catch (ModelSpecException e) {
      throw messages.wrong("--model " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw messages.wrong(e.getMessage());
    }
  }

  /** All configurations, by their numbers. */
  List<Configuration> configurations() {
    return List.copyOf(configurations);
  }

  /** What devices cost. */
  Prices prices() {
    return prices;
  }

  /** The devices, as the catalogue names them. */
  List<String> gpus() {
    return gpus;
  }

  /** The model in words. */
  String modelText() {
    return spec.toString();
  }

  /** The fitted step times or the kernels of a device; null if it takes the roofline. */
  @Nullable String stepFile(String gpu) {
    return stepModels.containsKey(gpu) ? stepModels.get(gpu) : kernels.get(gpu);
  }

  /** Those that can be, ready to be simulated. */
  List<PlanCandidate> candidates() {
    return configurations.stream()
        .filter(each -> each.leftOut().isEmpty())
        .map(
            each ->
                new PlanCandidate(
                    each.number(),
                    each.instance(),
                    () -> engine(each),
                    each.instances(),
                    each.router().isEmpty() ? "round-robin" : each.router(),
                    each.devices(),
                    each.costPerHour()))
        .toList();
  }

  private void addAll() {
    for (String gpu : gpus) {
      for (int tensor : axes.tensorParallelSizes()) {
        for (int seqs : axes.maxNumSeqs()) {
          for (int tokens : axes.maxNumBatchedTokens()) {
            for (boolean caching : axes.prefixCaching()) {
              addInstances(
                  new Configuration(
                      0, gpu, tensor, 1, "", seqs, tokens, caching, stepsOf(gpu), 0, ""));
            }
          }
        }
      }
    }
  }

  private void addInstances(Configuration one) {
    final String leftOut = leftOut(one);
    for (int instances : axes.instances()) {
      for (String router : instances == 1 ? List.of("") : axes.routers()) {
        if (configurations.size() == MOST) {
          throw new IllegalArgumentException(
              "a plan must have at most " + MOST + " configurations");
        }
        configurations.add(
            new Configuration(
                configurations.size() + 1,
                one.gpu(),
                one.tensorParallelSize(),
                instances,
                router,
                one.maxNumSeqs(),
                one.maxNumBatchedTokens(),
                one.prefixCaching(),
                one.steps(),
                prices.perHour(one.gpu()) * one.tensorParallelSize() * instances,
                leftOut));
      }
    }
  }

  private StepSource stepsOf(String gpu) {
    return stepModels.containsKey(gpu)
        ? StepSource.FITTED
        : kernels.containsKey(gpu) ? StepSource.KERNELS : StepSource.ROOFLINE;
  }

  /**
   * Why an instance cannot be; empty if it can.
   *
   * @throws IllegalArgumentException if an option is wrong whatever the configuration
   */
  private String leftOut(Configuration one) {
    try {
      ForwardPass.of(spec, Parallelism.tensor(one.tensorParallelSize()), LaunchMode.CUDA_GRAPHS);
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
    try {
      final EngineSettings engine = engine(one);
      axes.routers()
          .forEach(router -> new FleetRun(new FleetSettings(engine, 1, router, 0), List.of()));
      return "";
    } catch (IllegalArgumentException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof NoRoomException noRoom) {
          return noRoom(one, noRoom);
        }
      }
      throw e;
    }
  }

  private static String noRoom(Configuration one, NoRoomException noRoom) {
    return String.format(
        Locale.ROOT,
        "weights of %.1f GiB per device leave no room for a KV cache in the %.1f GiB of %s that may"
            + " be used with TP %d",
        noRoom.weightBytes() / GIB,
        noRoom.usableBytes() / GIB,
        one.gpu(),
        one.tensorParallelSize());
  }

  /** The engine of an instance, with step times of its own. Any thread. */
  EngineSettings engine(Configuration one) {
    final Map<String, String> options =
        new LinkedHashMap<>(model.shared(one.steps() == StepSource.FITTED));
    options.put("gpu", one.gpu());
    options.put("tensor-parallel-size", Integer.toString(one.tensorParallelSize()));
    options.put("max-num-seqs", Integer.toString(one.maxNumSeqs()));
    options.put("max-num-batched-tokens", Integer.toString(one.maxNumBatchedTokens()));
    if (!one.prefixCaching()) {
      options.put("no-prefix-caching", "true");
    }
    put(options, "step-model", stepModels.get(one.gpu()));
    put(options, "kernels", kernels.get(one.gpu()));
    return EngineOptions.of(List.of(), options).settings(policy);
  }

  private static void put(Map<String, String> options, String name, @Nullable String value) {
    if (value != null) {
      options.put(name, value);
    }
  }
}
