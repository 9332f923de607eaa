package dev.headway.simulation.run;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.step.LatencyModel;
import dev.headway.api.time.NanoClock;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.simulation.step.ArrivalDelay;
import dev.headway.simulation.workload.PromptTokens;
import dev.headway.simulation.workload.Workload;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * The engine of a simulation.
 *
 * @param config the scheduler's settings
 * @param kvCache size of the KV cache
 * @param latency how long steps take
 * @param seed of prompts and tokens
 * @param policies options by policy name, for decisions that are replaced
 * @param draftAcceptance chance that a draft token is accepted, in [0, 1]
 * @param attributes what journals say of the run: the model and its devices; copied, in the order
 *     of their names, so that equal settings give equal journals
 * @param eviction which contents the prefix cache gives up first
 */
public record EngineSettings(
    SchedulerConfig config,
    KvCacheShape kvCache,
    LatencyModel latency,
    long seed,
    Map<String, Map<String, String>> policies,
    double draftAcceptance,
    Map<String, String> attributes,
    EvictionPolicy eviction) {

  /** Token ids are below this: Llama 3.1's vocabulary. */
  public static final int VOCABULARY_SIZE = 128_256;

  /** Copies the attributes. */
  public EngineSettings {
    attributes = Collections.unmodifiableMap(new TreeMap<>(attributes));
  }

  /**
   * Every decision as configured, no drafts, a model of which journals say nothing, a prefix cache
   * that gives up least recently used contents first.
   */
  public EngineSettings(
      SchedulerConfig config, KvCacheShape kvCache, LatencyModel latency, long seed) {
    this(config, kvCache, latency, seed, Map.of(), 0, Map.of(), EvictionPolicy.LRU);
  }

  /** The same with another configuration. */
  public EngineSettings withConfig(SchedulerConfig other) {
    return new EngineSettings(
        other, kvCache, latency, seed, policies, draftAcceptance, attributes, eviction);
  }

  /** The same with a KV cache of another size. */
  public EngineSettings withKvCache(KvCacheShape other) {
    return new EngineSettings(
        config, other, latency, seed, policies, draftAcceptance, attributes, eviction);
  }

  /** The same with other step times. */
  public EngineSettings withLatency(LatencyModel other) {
    return new EngineSettings(
        config, kvCache, other, seed, policies, draftAcceptance, attributes, eviction);
  }

  /** The same with other policies, options by their names. */
  public EngineSettings withPolicies(Map<String, Map<String, String>> others) {
    return new EngineSettings(
        config, kvCache, latency, seed, others, draftAcceptance, attributes, eviction);
  }

  /** The same with another chance that a draft token is accepted, in [0, 1]. */
  public EngineSettings withDraftAcceptance(double other) {
    return new EngineSettings(
        config, kvCache, latency, seed, policies, other, attributes, eviction);
  }

  /** The same with another model, as journals say it. */
  public EngineSettings withAttributes(Map<String, String> others) {
    return new EngineSettings(
        config, kvCache, latency, seed, policies, draftAcceptance, others, eviction);
  }

  /** The same with another order in which contents of the prefix cache are given up. */
  public EngineSettings withEviction(EvictionPolicy other) {
    return new EngineSettings(
        config, kvCache, latency, seed, policies, draftAcceptance, attributes, other);
  }

  /**
   * From a request's arrival until it is in the queue, in ns: what a step model that was fitted to
   * measured requests says, 0 otherwise.
   */
  public long arrivalToQueueNs() {
    return latency instanceof ArrivalDelay delay ? delay.arrivalToQueueNs() : 0;
  }

  /**
   * A driver of an engine with these settings, which hands requests over when the step model says.
   *
   * @param engine of {@link #engine}
   * @param clock the engine's
   */
  public WorkloadDriver driver(Engine engine, NanoClock clock, Workload workload) {
    return new WorkloadDriver(engine, clock, workload, new PromptTokens(VOCABULARY_SIZE, seed))
        .withArrivalToQueue(arrivalToQueueNs());
  }

  /**
   * Runs a workload to its end in virtual time, on the caller's thread.
   *
   * @param name what journals call the workload
   * @param workload stays open
   */
  public void run(String name, Workload workload, Probe probe) {
    final VirtualClock clock = new VirtualClock();
    try (Engine engine = engine(clock, name, model -> model).probe(probe).build()) {
      driver(engine, clock, workload).run(() -> {});
    }
  }

  /**
   * An engine with a simulated model, still without probes.
   *
   * @param name what journals call the workload
   * @param around wrapper of the executor, between engine and model
   */
  public EngineBuilder engine(NanoClock clock, String name, UnaryOperator<Executor> around) {
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(kvCache)
            .maxNumSeqs(config.limits().maxNumSeqs())
            .vocabularySize(VOCABULARY_SIZE)
            .maxStepsInFlight(config.pipeline().maxStepsInFlight())
            .hostBlocks(config.kvOffload().hostBlocks())
            .build();
    final Executor model = new SimulatedExecutor(shape, latency, clock, seed, draftAcceptance);
    final EngineBuilder builder =
        engineOf(around.apply(model), clock, name).attribute("latency_model", latency.toString());
    if (latency.equals(LinearLatencyModel.LLAMA_3_1_8B_ON_H100)) {
      builder.attribute("model", "Llama-3.1-8B").attribute("hardware", "H100-SXM (simulated)");
    }
    if (config.speculation().method() != SpeculativeMethod.NONE) {
      builder.attribute("draft_acceptance", Double.toString(draftAcceptance));
    }
    attributes.forEach(builder::attribute);
    return builder;
  }

  /**
   * An engine of this configuration and these policies around another executor, still without
   * probes. What the settings say of the model and its devices is not recorded.
   *
   * @param executor its shape fits the configuration
   * @param name what journals call the workload
   */
  public EngineBuilder engineOf(Executor executor, NanoClock clock, String name) {
    final EngineBuilder builder =
        HeadwayEngine.builder(executor)
            .config(config)
            .clock(clock)
            .eviction(eviction)
            .submissionQueueCapacity(WorkloadDriver.MOST_PER_STEP)
            .attribute("workload", name)
            .attribute("seed", Long.toString(seed));
    policies.forEach(builder::policy);
    return builder;
  }
}
