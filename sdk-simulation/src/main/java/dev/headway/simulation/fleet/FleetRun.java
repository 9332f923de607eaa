package dev.headway.simulation.fleet;

import dev.headway.routing.core.RequestRouter;
import dev.headway.routing.core.RouteLease;
import dev.headway.routing.core.RoutingListener;
import dev.headway.routing.core.WorkerSpec;
import dev.headway.routing.policy.RoutingContext;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.WorkerLoad;
import dev.headway.routing.policy.WorkerSet;
import dev.headway.routing.policy.builtin.RoutingPolicies;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.run.LoadRequests;
import dev.headway.simulation.step.GroupLatency;
import dev.headway.simulation.workload.PromptTokens;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One load through instances behind a router, in virtual time. One thread, once; ranks in lockstep
 * have threads of their own, of which one runs at a time.
 *
 * <p>A workload says of a request which blocks of its prompt it shares; its tenant is its routing
 * key.
 */
public final class FleetRun {

  private static final int PROGRESS_EVERY = 256;

  private final FleetSettings settings;
  private final int blockSize;
  private final RequestRouter router;
  private final Hindsight hindsight;
  private final FleetEvents events = new FleetEvents();
  private final List<FleetInstance> instances = new ArrayList<>();
  private final List<LockstepRank> ranks = new ArrayList<>();
  private final List<FleetRequest> requests = new ArrayList<>();
  private final PromptTokens prompts;
  private final LoadRequests made = new LoadRequests();
  private @Nullable LockstepGroup group;
  private long[] chain = {};

  /**
   * Prepares a run.
   *
   * @param listeners are notified of decisions
   * @throws IllegalArgumentException if there is no such routing policy or option
   */
  public FleetRun(FleetSettings settings, List<RoutingListener> listeners) {
    this.settings = settings;
    final EngineSettings engine = settings.engine();
    blockSize = engine.kvCache().blockSize();
    final FirstTokenTime time =
        new FirstTokenTime(
            engine.latency(),
            engine.config().limits().maxNumBatchedTokens(),
            FirstTokenTime.TYPICAL_DECODE_CONTEXT);
    hindsight = new Hindsight(time, settings.instances(), blockSize);
    final RoutingPolicy policy =
        new RoutingPolicies(FleetRun.class.getClassLoader())
            .create(
                settings.router(),
                new RoutingContext(Map.of(), engine.seed(), this::matchDelayed, time));
    final RequestRouter.Builder builder = RequestRouter.builder(policy);
    listeners.forEach(builder::listener);
    router = builder.build();
    prompts = new PromptTokens(EngineSettings.VOCABULARY_SIZE, engine.seed());
  }

  /**
   * Runs until every request has ended.
   *
   * @param progress called now and then with the requests that have arrived
   * @throws dev.headway.simulation.run.SimulationException if an instance can never progress
   */
  public FleetResult run(Workload workload, LongConsumer progress) {
    try {
      for (int i = 0; i < settings.instances(); i++) {
        router.add(WorkerSpec.of("instance-" + i, ""));
        addInstance(i, workload.name());
      }
      if (settings.engine().latency() instanceof GroupLatency latency) {
        group = settings.lockstep() ? new LockstepGroup(latency, ranks) : null;
      }
      for (WorkloadRequest next = workload.next(); next != null; next = workload.next()) {
        arrive(next);
        if (requests.size() % PROGRESS_EVERY == 0) {
          progress.accept(requests.size());
        }
      }
      runToTheEnd();
      events.deliver(Long.MAX_VALUE, hindsight::computed);
      progress.accept(requests.size());
      return new FleetResult(settings, List.copyOf(requests), steps(), endNs(), pressure());
    } finally {
      ranks.forEach(LockstepRank::close);
      instances.stream().skip(ranks.size()).forEach(FleetInstance::close);
    }
  }

  private void addInstance(int number, String name) {
    if (settings.lockstep()) {
      final LockstepRank rank = new LockstepRank(number, settings.engine(), name, events);
      ranks.add(rank);
      instances.add(rank.instance());
    } else {
      instances.add(new FleetInstance(number, settings.engine(), name, events));
    }
  }

  private void runTo(long nowNs) {
    if (group != null) {
      group.runTo(nowNs);
    } else {
      instances.forEach(instance -> instance.runTo(nowNs));
    }
  }

  private void runToTheEnd() {
    if (group != null) {
      group.runToTheEnd();
      instances.forEach(FleetInstance::requireEnded);
    } else {
      instances.forEach(FleetInstance::runToTheEnd);
    }
  }

  private void arrive(WorkloadRequest arrival) {
    final long nowNs = arrival.arrivalNs();
    runTo(nowNs);
    events.deliver(nowNs, hindsight::computed);
    final long seenNs = nowNs - settings.signalDelayNs();
    for (int i = 0; i < instances.size(); i++) {
      final @Nullable WorkerLoad load = instances.get(i).loadAt(seenNs);
      if (load != null) {
        router.report("instance-" + i, load);
      }
      instances.get(i).contents().forgetBefore(nowNs, seenNs);
    }
    final int[] tokens = prompts.of(arrival);
    chain = PromptChain.of(tokens, blockSize);
    final RouteLease lease = router.route(routed(arrival, tokens));
    final int chosen = lease.worker().index();
    final long regretNs = hindsight.regretNs(instances, chosen, chain, tokens.length, nowNs);
    final FleetRequest row =
        new FleetRequest(arrival, lease, chosen, hindsight.lastUncached(), regretNs);
    requests.add(row);
    hindsight.routed(row);
    instances.get(chosen).submit(made.of(arrival, tokens).build(), row, chain);
  }

  private static RoutingRequest routed(WorkloadRequest arrival, int[] tokens) {
    return RoutingRequest.builder(arrival.requestId())
        .tokens(tokens)
        .maxTokens(arrival.outputTokens())
        .routingKey(arrival.tenant())
        .priority(arrival.priority())
        .nowNs(arrival.arrivalNs())
        .build();
  }

  /** What a router learns from the KV events of the instances, late by the delay. */
  private void matchDelayed(RoutingRequest request, WorkerSet candidates, int[] matchedTokens) {
    final long seenNs = request.nowNs() - settings.signalDelayNs();
    for (int i = 0; i < matchedTokens.length; i++) {
      final FleetInstance instance = instances.get(candidates.get(i).index());
      matchedTokens[i] = instance.contents().matchDelayed(chain, seenNs) * blockSize;
    }
  }

  private long steps() {
    return instances.stream().mapToLong(FleetInstance::steps).sum();
  }

  private FleetResult.Pressure pressure() {
    return new FleetResult.Pressure(
        instances.stream().mapToInt(FleetInstance::mostRunning).max().orElse(0),
        instances.stream().mapToDouble(FleetInstance::mostKvShare).max().orElse(0),
        instances.stream().mapToLong(FleetInstance::preemptions).sum());
  }

  private long endNs() {
    return instances.stream().mapToLong(FleetInstance::nowNs).max().orElse(0);
  }
}
