package dev.headway.scheduler.engine;

import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.HealthListener;
import dev.headway.api.engine.KvCacheContext;
import dev.headway.api.engine.KvCacheFactory;
import dev.headway.api.engine.SchedulerContext;
import dev.headway.api.engine.SchedulerFactory;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicySpec;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeEnvironment;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.request.RequestTimeouts;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.time.NanoClock;
import dev.headway.kvcache.BlockHasher;
import dev.headway.kvcache.KvCacheManagers;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.scheduler.policy.PolicyLoader;
import dev.headway.scheduler.probes.ProbeDispatcher;
import dev.headway.scheduler.probes.ProbeLoader;
import dev.headway.scheduler.time.SystemNanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Builds an engine. Options that contradict each other or the executor are rejected by {@link
 * #build}, with their names and values. Not thread-safe.
 */
public final class EngineBuilder {

  private static final int DEFAULT_QUEUE_CAPACITY = 65_536;
  private static final Duration DEFAULT_EXECUTOR_TIMEOUT = Duration.ofMinutes(5);
  private static final long SIMULATION_KEY_0 = 0x0706050403020100L;
  private static final long SIMULATION_KEY_1 = 0x0f0e0d0c0b0a0908L;

  private final Executor executor;
  private final List<Probe> probes = new ArrayList<>();
  private final Set<Probe> sameProbes = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Map<String, Map<String, String>> probeNames = new LinkedHashMap<>();
  private @Nullable ProbeEnvironment probeEnvironment;
  private final Map<String, String> attributes = new LinkedHashMap<>();
  private @Nullable SchedulerConfig config;
  private @Nullable NanoClock clock;
  private @Nullable BlockHasher hasher;
  private @Nullable EvictionPolicy eviction;
  private @Nullable KvCacheFactory kvCache;
  private SchedulerFactory scheduler = ContinuousBatchingScheduler::of;
  private @Nullable ClassLoader classLoader;
  private final Map<String, Map<String, String>> policyNames = new LinkedHashMap<>();
  private Policies policies = Policies.NONE;
  private @Nullable KvConnector connector;
  private int submissionQueueCapacity = DEFAULT_QUEUE_CAPACITY;
  private Duration executorTimeout = DEFAULT_EXECUTOR_TIMEOUT;
  private @Nullable Duration stallThreshold;
  private HealthListener healthListener = health -> {};
  private ExecutorFailurePolicy failurePolicy = ExecutorFailurePolicy.CONTINUE;
  private FullQueuePolicy fullQueuePolicy = FullQueuePolicy.REJECT_NEWCOMER;
  private int streamInterval = 1;
  private RequestTimeouts defaultTimeouts = RequestTimeouts.NONE;

  EngineBuilder(Executor executor) {
    this.executor = executor;
  }

  /** The parts of an engine. */
  record Parts(
      SchedulerConfig config,
      Scheduler scheduler,
      KvCacheManager kvCache,
      Executor executor,
      ProbeDispatcher probes,
      NanoClock clock,
      int submissionQueueCapacity,
      long executorTimeoutNs,
      long stallThresholdNs,
      HealthListener healthListener,
      ExecutorFailurePolicy failurePolicy,
      @Nullable KvConnector connector,
      RequestTimeouts defaultTimeouts,
      int streamInterval,
      FullQueuePolicy fullQueuePolicy) {}

  private record CacheContext(
      KvCacheShape shape, SchedulerConfig config, KvCacheListener listener, NanoClock clock)
      implements KvCacheContext {}

  private record DecisionContext(
      SchedulerConfig config,
      ExecutorShape executorShape,
      KvCacheManager kvCache,
      Probe probe,
      NanoClock clock,
      Policies policies,
      @Nullable KvConnector kvConnector)
      implements SchedulerContext {}

  /**
   * The scheduler's settings. Unless set, everything has its default and the limits are the
   * executor's, see {@link SchedulerLimits#builder(ExecutorShape)}.
   */
  public EngineBuilder config(SchedulerConfig config) {
    this.config = config;
    return this;
  }

  /** The limits of a step, everything else as by default; the short form of {@link #config}. */
  public EngineBuilder limits(SchedulerLimits limits) {
    return config(SchedulerConfig.builder(limits).build());
  }

  /** A custom scheduler; {@link ContinuousBatchingScheduler} unless set. */
  public EngineBuilder scheduler(SchedulerFactory factory) {
    this.scheduler = Objects.requireNonNull(factory, "factory");
    return this;
  }

  /** A custom KV cache manager; one of {@link KvCacheManagers} unless set. */
  public EngineBuilder kvCache(KvCacheFactory factory) {
    this.kvCache = Objects.requireNonNull(factory, "factory");
    return this;
  }

  /**
   * Where KV comes from and goes to outside the engine, which owns the connector from now on, and
   * closes it. None unless set.
   */
  public EngineBuilder kvConnector(KvConnector connector) {
    this.connector = Objects.requireNonNull(connector, "connector");
    return this;
  }

  /**
   * Adds custom policies to those given before. A custom {@link #scheduler} gets them too, and may
   * ignore them.
   *
   * @throws IllegalArgumentException if a decision was replaced before
   */
  public EngineBuilder policies(Policies policies) {
    this.policies = this.policies.and(policies);
    return this;
  }

  /** A policy found by name, without options. */
  public EngineBuilder policy(String name) {
    return policy(name, Map.of());
  }

  /**
   * A policy found by name; {@code PolicySpec.parse} reads names and options from a text. Journals
   * have all such policies in the run's attribute {@code policies}.
   *
   * @throws IllegalArgumentException if the name was given before
   */
  public EngineBuilder policy(String name, Map<String, String> options) {
    if (policyNames.putIfAbsent(name, Map.copyOf(options)) != null) {
      throw new IllegalArgumentException("a policy must be named once: name='" + name + "'");
    }
    return this;
  }

  /** The machine's clock unless set; use a virtual clock for a simulation. */
  public EngineBuilder clock(NanoClock clock) {
    this.clock = clock;
    return this;
  }

  /**
   * A probe instance; the engine closes it.
   *
   * @throws IllegalArgumentException if the same object was given before
   */
  public EngineBuilder probe(Probe probe) {
    if (!sameProbes.add(probe)) {
      throw new IllegalArgumentException(
          "a probe must be given once: class=" + probe.getClass().getName());
    }
    probes.add(probe);
    return this;
  }

  /** A probe found by name, without options. */
  public EngineBuilder probe(String name) {
    return probe(name, Map.of());
  }

  /**
   * A probe found by name.
   *
   * @throws IllegalArgumentException if the name was given before
   */
  public EngineBuilder probe(String name, Map<String, String> options) {
    if (probeNames.putIfAbsent(name, Map.copyOf(options)) != null) {
      throw new IllegalArgumentException("a probe must be named once: name='" + name + "'");
    }
    return this;
  }

  /**
   * Adds the probes that environment variables and system properties of the process ask for, for
   * example {@code VLLM_SCHEDULER_LOGGING=1}; what was recorded so, and by which switch, is logged.
   * A probe that the program names itself is left as the program wants it.
   */
  public EngineBuilder probesFromEnvironment() {
    return probesFrom(ProbeEnvironment.ofProcess());
  }

  /** The same from another environment. */
  public EngineBuilder probesFrom(ProbeEnvironment environment) {
    probeEnvironment = environment;
    return this;
  }

  /** Where providers of probes and policies are looked for; the context class loader unless set. */
  public EngineBuilder classLoader(ClassLoader classLoader) {
    this.classLoader = classLoader;
    return this;
  }

  /** A label of the run recorded in journals and files: model, hardware, seed. */
  public EngineBuilder attribute(String name, String value) {
    attributes.put(name, value);
    return this;
  }

  /**
   * The key of the prefix cache's hash; random unless set, fixed in virtual time. Not together with
   * {@link #kvCache}, since a custom cache does its own hashing.
   */
  public EngineBuilder hasher(BlockHasher hasher) {
    this.hasher = hasher;
    return this;
  }

  /**
   * Which contents the prefix cache gives up first; {@link EvictionPolicy#LRU} unless set. Not
   * together with {@link #kvCache}.
   */
  public EngineBuilder eviction(EvictionPolicy eviction) {
    this.eviction = eviction;
    return this;
  }

  /**
   * Most requests submitted and not yet taken in by the engine thread; 65,536 unless set.
   *
   * @throws IllegalArgumentException unless >= 1
   */
  public EngineBuilder submissionQueueCapacity(int requests) {
    if (requests < 1) {
      throw new IllegalArgumentException(
          "submissionQueueCapacity must be >= 1: submissionQueueCapacity=" + requests);
    }
    this.submissionQueueCapacity = requests;
    return this;
  }

  /**
   * Longest time an executor may take for a step; 5 minutes unless set.
   *
   * @throws IllegalArgumentException unless positive
   */
  public EngineBuilder executorTimeout(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("executorTimeout must be > 0: executorTimeout=" + timeout);
    }
    this.executorTimeout = timeout;
    return this;
  }

  /**
   * Time without progress after which {@link Engine#health} says STALLED; the executor's timeout
   * unless set. It must be longer than the longest step.
   *
   * @throws IllegalArgumentException unless positive
   */
  public EngineBuilder stallThreshold(Duration threshold) {
    if (threshold.isNegative() || threshold.isZero()) {
      throw new IllegalArgumentException("stallThreshold must be > 0: stallThreshold=" + threshold);
    }
    this.stallThreshold = threshold;
    return this;
  }

  /**
   * Notified when the engine stalls and when it makes progress again, within a quarter of the
   * threshold. For engines with a thread of their own ({@link Engine#start}), in real time.
   */
  public EngineBuilder onHealth(HealthListener listener) {
    this.healthListener = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /** What happens after a failed step; {@link ExecutorFailurePolicy#CONTINUE} unless set. */
  public EngineBuilder onExecutorFailure(ExecutorFailurePolicy policy) {
    this.failurePolicy = policy;
    return this;
  }

  /**
   * How long requests may take that do not say so themselves; no limit unless set. Journals have
   * each that is set as an attribute of the run, such as {@code queue_timeout}.
   */
  public EngineBuilder defaultTimeouts(RequestTimeouts timeouts) {
    this.defaultTimeouts = Objects.requireNonNull(timeouts, "timeouts");
    return this;
  }

  /**
   * What happens to a request that finds {@code maxNumQueuedReqs} others alive; {@link
   * FullQueuePolicy#REJECT_NEWCOMER} unless set.
   */
  public EngineBuilder onFullQueue(FullQueuePolicy policy) {
    this.fullQueuePolicy = Objects.requireNonNull(policy, "policy");
    return this;
  }

  /**
   * Of how many outputs listeners are notified at a time, for requests that do not say so
   * themselves: see {@code Request.Builder.streamInterval}. 1, each at once, unless set.
   *
   * @throws IllegalArgumentException unless >= 1
   */
  public EngineBuilder streamInterval(int tokens) {
    if (tokens < 1) {
      throw new IllegalArgumentException("streamInterval must be >= 1: streamInterval=" + tokens);
    }
    this.streamInterval = tokens;
    return this;
  }

  /**
   * Returns the engine; probes are created and notified that the run begins.
   *
   * @throws IllegalArgumentException naming the option, its value and the constraint
   * @throws IllegalStateException if a probe cannot be made
   */
  public Engine build() {
    final ExecutorShape shape = executor.shape();
    final SchedulerConfig settings =
        config != null
            ? config
            : SchedulerConfig.builder(SchedulerLimits.builder(shape).build()).build();
    requireFit(settings, shape);
    if (fullQueuePolicy == FullQueuePolicy.EVICT_WORST
        && settings.queuePolicy() != QueuePolicy.PRIORITY) {
      throw new IllegalArgumentException(
          "EVICT_WORST needs queuePolicy PRIORITY, or no request is less important than another:"
              + " onFullQueue=EVICT_WORST, queuePolicy="
              + settings.queuePolicy());
    }
    final NanoClock time = clock != null ? clock : new SystemNanoClock();
    final RunInfo run =
        RunInfo.builder(settings, shape.kvCache())
            .headwayVersion(HeadwayVersion.current())
            .executor(executor.name())
            .anchor(time.anchor())
            .virtualTime(time.isVirtual())
            .attributes(recordedAttributes())
            .build();
    final List<Probe> named = makeNamedProbes(run);
    try {
      return build(settings, shape, time, run, named);
    } catch (Throwable t) {
      ProbeLoader.closeAll(named); // the caller keeps ownership of the instances given
      throw t;
    }
  }

  /** What the executor and the embedder say of the run, and the policies that decide in it. */
  private Map<String, String> recordedAttributes() {
    final Map<String, String> recorded = new LinkedHashMap<>(executor.attributes());
    recorded.putAll(attributes);
    if (!policyNames.isEmpty()) {
      recorded.putIfAbsent("policies", PolicySpec.text(policyNames));
    }
    recordTimeout(recorded, "request_timeout", defaultTimeouts.total());
    recordTimeout(recorded, "queue_timeout", defaultTimeouts.queue());
    recordTimeout(recorded, "run_timeout", defaultTimeouts.run());
    if (connector != null) {
      recorded.putIfAbsent("kv_connector", connector.role().name().toLowerCase(Locale.ROOT));
    }
    return recorded;
  }

  private static void recordTimeout(
      Map<String, String> recorded, String name, @Nullable Duration timeout) {
    if (timeout != null) {
      recorded.putIfAbsent(name, timeout.toString());
    }
  }

  private Engine build(
      SchedulerConfig settings,
      ExecutorShape shape,
      NanoClock time,
      RunInfo run,
      List<Probe> named) {
    final List<Probe> all = new ArrayList<>(probes);
    all.addAll(named);
    final ProbeDispatcher dispatcher = new ProbeDispatcher(all);
    final KvCacheManager kv = makeKvCache(settings, shape, time, dispatcher);
    final Scheduler made =
        Objects.requireNonNull(
            scheduler.create(
                new DecisionContext(
                    settings,
                    shape,
                    kv,
                    dispatcher,
                    time,
                    makePolicies(settings, shape),
                    connector)),
            "the scheduler factory made no scheduler");
    requireFollowed(made);
    final Engine engine =
        new HeadwayEngine(
            new Parts(
                settings,
                made,
                kv,
                executor,
                dispatcher,
                time,
                submissionQueueCapacity,
                TimeUnit.NANOSECONDS.convert(executorTimeout), // saturates
                TimeUnit.NANOSECONDS.convert(
                    stallThreshold == null ? executorTimeout : stallThreshold),
                healthListener,
                failurePolicy,
                connector,
                defaultTimeouts,
                streamInterval,
                fullQueuePolicy));
    dispatcher.onRunStarted(run);
    return engine;
  }

  private void requireFollowed(Scheduler made) {
    if (connector != null && !made.followsConnector()) {
      throw new IllegalArgumentException(
          "a KV connector needs a scheduler that follows it: scheduler="
              + made.getClass().getName());
    }
  }

  private KvCacheManager makeKvCache(
      SchedulerConfig settings, ExecutorShape shape, NanoClock time, ProbeDispatcher dispatcher) {
    if (kvCache != null && eviction != null) {
      throw new IllegalArgumentException(
          "eviction is for the default KV cache: set it or kvCache, not both");
    }
    if (kvCache != null && hasher != null) {
      throw new IllegalArgumentException(
          "hasher is for the default KV cache: set it or kvCache, not both");
    }
    final KvCacheFactory factory = kvCache != null ? kvCache : this::defaultKvCache;
    final KvCacheManager made =
        Objects.requireNonNull(
            factory.create(new CacheContext(shape.kvCache(), settings, dispatcher, time)),
            "the KV cache factory made no cache");
    if (!made.shape().equals(shape.kvCache())) {
      throw new IllegalArgumentException(
          "the KV cache must have the executor's shape: kvCache="
              + made.shape()
              + ", executor="
              + shape.kvCache());
    }
    return made;
  }

  private KvCacheManager defaultKvCache(KvCacheContext context) {
    return KvCacheManagers.of(context)
        .hasher(hasherFor(context.clock()))
        .eviction(eviction == null ? EvictionPolicy.LRU : eviction)
        .build();
  }

  private static void requireFit(SchedulerConfig settings, ExecutorShape shape) {
    final SchedulerLimits limits = settings.limits();
    requireAtMost("maxNumSeqs", limits.maxNumSeqs(), OptionalInt.of(shape.maxNumSeqs()));
    requireAtMost("maxNumBatchedTokens", limits.maxNumBatchedTokens(), shape.maxNumBatchedTokens());
    requireAtMost("maxModelLen", limits.maxModelLen(), shape.maxModelLen());
    if (settings.kvOffload().hostBlocks() > shape.hostBlocks()) {
      throw new IllegalArgumentException(
          "hostBlocks must be <= the executor's, which has to save and load them: hostBlocks="
              + settings.kvOffload().hostBlocks()
              + ", executor.hostBlocks="
              + shape.hostBlocks());
    }
    final int stepsInFlight = settings.pipeline().maxStepsInFlight();
    if (stepsInFlight > shape.maxStepsInFlight()) {
      throw new IllegalArgumentException(
          "the pipeline's steps in flight must be <= the executor's: pipeline="
              + settings.pipeline()
              + ", maxStepsInFlight="
              + stepsInFlight
              + ", executor.maxStepsInFlight="
              + shape.maxStepsInFlight());
    }
  }

  private static void requireAtMost(String name, int value, OptionalInt most) {
    if (value > most.orElse(value)) {
      throw new IllegalArgumentException(
          name
              + " must be <= the executor's: "
              + name
              + "="
              + value
              + ", executor."
              + name
              + "="
              + most.getAsInt());
    }
  }

  private BlockHasher hasherFor(NanoClock time) {
    if (hasher != null) {
      return hasher;
    }
    return time.isVirtual()
        ? BlockHasher.fixedKey(SIMULATION_KEY_0, SIMULATION_KEY_1)
        : BlockHasher.randomKey();
  }

  private List<Probe> makeNamedProbes(RunInfo run) {
    if (probeNames.isEmpty() && probeEnvironment == null) {
      return List.of();
    }
    final ProbeLoader probeLoader = new ProbeLoader(loader());
    final Map<String, Map<String, String>> wanted = new LinkedHashMap<>(probeNames);
    if (probeEnvironment != null) {
      probeLoader
          .requested(probeEnvironment)
          .forEach((name, request) -> wanted.putIfAbsent(name, request.options()));
    }
    return probeLoader.create(wanted, new ProbeContext(run, Map.of()));
  }

  private Policies makePolicies(SchedulerConfig settings, ExecutorShape shape) {
    return policyNames.isEmpty()
        ? policies
        : policies.and(
            new PolicyLoader(loader())
                .create(policyNames, new PolicyContext(settings, shape.kvCache(), Map.of())));
  }

  private ClassLoader loader() {
    if (classLoader != null) {
      return classLoader;
    }
    final ClassLoader context = Thread.currentThread().getContextClassLoader();
    return context != null ? context : EngineBuilder.class.getClassLoader();
  }
}
