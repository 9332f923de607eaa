package dev.headway.scheduler.model;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.schedule.AdapterLoad;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.schedule.WaitReason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The model as a whole: a step is phase A, then phase B, then what both leave behind. */
final class ModelScheduler {

  /** A plan, and how things stand behind it. */
  record Plan(
      long step,
      List<ModelEntry> entries,
      List<String> preempted,
      List<String> finished,
      int nextDrafts,
      int commonPrefix,
      int free) {}

  final ModelState state;
  private final ModelRunningPhase runningPhase;
  private final ModelAdmissionPhase admissionPhase;
  private final ModelOutputs outputs;
  private final Deque<Plan> out = new ArrayDeque<>();
  private long unanswered;

  ModelScheduler(SchedulerConfig config, KvCacheShape shape) {
    state = new ModelState(config, shape);
    runningPhase = new ModelRunningPhase(state);
    admissionPhase = new ModelAdmissionPhase(state);
    outputs = new ModelOutputs(state);
  }

  ModelRequest add(ModelRequest added) {
    if (added.holds.isEmpty()) {
      state.queues.add(added);
    } else {
      state.queues.addHeld(added);
      added.refuse(WaitReason.of(added.holds.getFirst().reason()), null);
    }
    return added;
  }

  void release(ModelRequest request, Hold hold) {
    request.holds.remove(hold);
    request.refuse(
        request.holds.isEmpty() ? null : WaitReason.of(request.holds.getFirst().reason()), null);
  }

  /**
   * Plans a step.
   *
   * @param nowNs when the other scheduler began to plan it
   */
  Plan schedule(boolean throttled, long nowNs) {
    state.step++;
    state.nowNs = nowNs;
    state.plan = new ArrayList<>();
    final boolean defers =
        state.connector != null && state.config.pipeline().maxStepsInFlight() > 1;
    if (unanswered == 0 && !defers) { // the executor runs steps in order
      state.blocks.acknowledge(state.step - 1);
    }
    state.running.forEach(request -> request.refuse(null, null));
    state.queues.all().stream()
        .filter(
            request ->
                !request.parked && !request.deferred && !request.undecided && !request.isHeld())
        .forEach(request -> request.refuse(null, null));
    final boolean decodes = state.running.stream().anyMatch(request -> !request.prefillChunk);
    state.defer = throttled && !state.capacityBound && decodes;
    runningPhase.plan();
    if (runningPhase.preempted) {
      state.close(WaitReason.PREEMPTION_IN_STEP, null);
    } else if (runningPhase.awaitsBlocks) {
      state.close(WaitReason.STALLED, null);
    } else if (state.pause != PauseState.RUNNING) {
      state.close(WaitReason.PAUSED, null);
    } else {
      final boolean onlyDecodes = !state.plan.isEmpty() && !runningPhase.tookUnfinishedPrompt;
      admissionPhase.plan(
          onlyDecodes,
          runningPhase.tookPrefill ? WaitReason.CHUNKED_PREFILL : WaitReason.DECODE_PRIORITY);
    }
    final Plan plan =
        new Plan(
            state.step,
            state.plan,
            List.copyOf(state.preemptedSince),
            List.copyOf(state.finishedSince),
            state.drafts.next(state.plan.size()),
            state.blocks.commonPrefix(state.running),
            state.blocks.free.size());
    state.preemptedSince.clear();
    state.finishedSince.clear();
    outputs.scheduled(plan.entries(), plan.nextDrafts());
    state.plan = new ArrayList<>();
    out.add(plan);
    return plan;
  }

  /** Takes answers over; returns the tokens appended for each entry of the oldest step. */
  List<Integer> update(
      List<List<Integer>> answers, List<List<Integer>> proposals, Set<Integer> notLoaded) {
    if (state.connector != null) {
      final List<List<ModelEntry>> all = later();
      state.connector.found(notLoaded, out.getFirst(), all);
    }
    final Plan plan = out.remove();
    final List<Integer> produced = outputs.update(plan.entries(), later(), answers, plan.step());
    for (int i = 0; i < plan.entries().size(); i++) {
      final boolean isKept = produced.get(i) > 0 || !state.headway;
      if (isKept && !proposals.get(i).isEmpty()) {
        outputs.propose(plan.entries().get(i).request(), proposals.get(i));
      }
    }
    acknowledge(plan.step());
    return produced;
  }

  void abandon(boolean done) {
    final Plan plan = out.remove();
    outputs.failAll(plan.entries(), later(), plan.step());
    if (done) {
      acknowledge(plan.step());
    } else {
      unanswered = plan.step();
    }
  }

  private List<List<ModelEntry>> later() {
    return out.stream().map(Plan::entries).toList();
  }

  void acknowledge(long step) {
    unanswered = unanswered <= step ? 0 : unanswered;
    state.blocks.acknowledge(step);
  }

  /** The oldest step that is out. */
  Plan oldest() {
    return out.getFirst();
  }

  /** Whether a step was given up that may still write. */
  boolean awaitsAcknowledgement() {
    return unanswered > 0;
  }

  void propose(ModelRequest request, List<Integer> drafts) {
    outputs.propose(request, drafts);
  }

  void abort(ModelRequest request) {
    state.end(request, FinishReason.ABORTED);
  }

  boolean reset(boolean preemptRunning) {
    while (preemptRunning && !state.running.isEmpty()) {
      state.preempt(state.running.removeLast(), null, true);
    }
    if (preemptRunning && state.connector != null) {
      state.connector.giveAll();
    }
    return state.blocks.reset();
  }

  SchedulerStats stats() {
    return state.counts.stats(
        state.step,
        state.drafts.k(),
        state.connector == null ? 0 : state.connector.failedLoads,
        adapters());
  }

  private List<AdapterLoad> adapters() {
    final Map<String, AdapterLoad> loads = new TreeMap<>();
    state.running.forEach(each -> count(loads, new AdapterLoad(each.adapter(), 1, 0)));
    state.queues.all().forEach(each -> count(loads, new AdapterLoad(each.adapter(), 0, 1)));
    loads.remove("");
    return List.copyOf(loads.values());
  }

  private static void count(Map<String, AdapterLoad> loads, AdapterLoad one) {
    loads.merge(
        one.name(),
        one,
        (a, b) -> new AdapterLoad(a.name(), a.running() + b.running(), a.waiting() + b.waiting()));
  }

  int unfinished() {
    return switch (state.pause) {
      case RUNNING -> state.running.size() + state.queues.all().size();
      case NO_ADMISSIONS -> state.running.size();
      case PAUSED -> 0;
    };
  }
}
