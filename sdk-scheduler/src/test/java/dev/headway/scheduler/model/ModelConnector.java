package dev.headway.scheduler.model;

import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.model.ModelTransfer.Load;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Loads, blocks kept for transfers and failed loads, as decision 0047 has them. Only for Headway's
 * own way: vLLM's is in the recorded runs.
 */
final class ModelConnector {

  private final ModelState state;

  /** Loaded and not admitted, latest first. */
  private final List<ModelRequest> loaded = new ArrayList<>();

  private final List<ModelRequest> kept = new ArrayList<>();
  long failedLoads;

  ModelConnector(ModelState state) {
    this.state = state;
  }

  List<ModelRequest> kept() {
    return kept;
  }

  boolean holdsBlocks() {
    return !kept.isEmpty()
        || state.queues.all().stream().anyMatch(r -> r.transfer.load == Load.OUT)
        || !loaded.isEmpty();
  }

  /** Blocks that prefills in flight lack. */
  int reserved() {
    final List<ModelRequest> all = new ArrayList<>(state.running);
    all.addAll(state.queues.all());
    return all.stream()
        .filter(request -> request.transfer.prefilling)
        .mapToInt(request -> state.blocks.fresh(request.known(), request.blocks.size()))
        .sum();
  }

  void begin(ModelRequest head, int tokens) {
    head.transfer.load = Load.OUT;
    head.transfer.failed = false;
    head.transfer.prefilling = true;
    head.computed = tokens;
  }

  /** A load has ended; its blocks from {@code bad} on are not there. */
  void received(ModelRequest request, Set<Integer> bad) {
    found(bad, null, List.of());
    if (request.ended != null) {
      kept.remove(request);
      state.blocks.release(request);
      return;
    }
    request.transfer.load = Load.RECEIVED;
    loaded.addFirst(request);
    request.refuse(null, null);
  }

  void sent(ModelRequest request) {
    kept.remove(request);
    state.blocks.release(request);
  }

  /** Admissions have reached a request that is loaded. */
  void reached(ModelRequest head) {
    if (head.transfer.load != Load.RECEIVED) {
      return;
    }
    head.transfer.load = Load.NONE;
    if (!head.transfer.failed) {
      head.computed = Math.min(head.computed, head.known() - 1);
    }
    state.blocks.cache(head, head.computed, 0);
    head.transfer.failed = false;
    if (head.computed == 0) {
      state.blocks.release(head);
      forget(head);
    }
  }

  void forget(ModelRequest request) {
    loaded.remove(request);
    request.transfer.prefilling = false;
  }

  void admitted(ModelRequest request) {
    loaded.remove(request);
  }

  /** Whether the blocks of a request that has just ended stay. */
  boolean keeps(ModelRequest request, FinishReason reason) {
    forget(request);
    final boolean stopped = reason == FinishReason.STOP || reason == FinishReason.LENGTH;
    final boolean stays = request.transfer.load == Load.OUT || (stopped && request.transfer.keeps);
    if (stays) {
      kept.add(request);
    }
    return stays;
  }

  /** Nothing else runs, and {@code needy} lacks blocks. */
  boolean giveBlocks(ModelRequest needy) {
    if (state.running.stream().anyMatch(request -> request != needy) || loaded.isEmpty()) {
      return false;
    }
    final ModelRequest giver =
        loaded.stream()
            .filter(request -> request != needy)
            .findFirst()
            .orElse(loaded.contains(needy) ? needy : null);
    if (giver != null) {
      giveBack(giver);
      giver.transfer.neverAgain = true;
    }
    return giver != null;
  }

  void giveAll() {
    while (!loaded.isEmpty()) {
      giveBack(loaded.getFirst());
    }
  }

  private void giveBack(ModelRequest giver) {
    forget(giver);
    giver.transfer.load = Load.NONE;
    giver.transfer.failed = false;
    state.takeBlocks(giver, giver.computed);
    if (!giver.parked && !giver.deferred) { // it keeps waiting for its adapter, or its turn
      giver.refuse(WaitReason.PREEMPTED, null);
    }
  }

  /**
   * Blocks are not there, of the step that is being answered or of loads.
   *
   * @param step the plan of the step, or null
   * @param out it and those behind it
   */
  void found(Set<Integer> bad, ModelScheduler.Plan step, List<List<ModelEntry>> out) {
    if (bad.isEmpty()) {
      return;
    }
    final Set<ModelRequest> onSand = new HashSet<>();
    if (step != null) {
      step.entries().stream()
          .filter(entry -> entry.external() > 0)
          .filter(
              entry ->
                  !state.running.contains(entry.request())
                      || isAffected(entry.request(), bad, Set.of()))
          .forEach(entry -> collect(entry.request(), step.step(), onSand));
    }
    final List<ModelRequest> affected = new ArrayList<>();
    state.running.stream().filter(r -> isAffected(r, bad, onSand)).forEach(affected::add);
    for (ModelRequest request : affected.reversed()) {
      failedLoads++;
      request.transfer.neverAgain = true;
      state.running.remove(request);
      state.preemptFor(request, good(request, bad, onSand));
    }
    for (ModelRequest request : state.queues.all()) {
      final boolean loads = request.transfer.load != Load.NONE || loaded.contains(request);
      if (loads && isAffected(request, bad, onSand)) {
        failed(request, good(request, bad, onSand));
      }
    }
    kept.forEach(request -> state.blocks.forgetBeyond(request, good(request, bad, onSand)));
    out.forEach(plan -> plan.forEach(entry -> entry.request().gone = entry.request().stale));
  }

  private void collect(ModelRequest gone, long step, Set<ModelRequest> onSand) {
    state.broken = true;
    final List<ModelRequest> all = new ArrayList<>(state.running);
    all.addAll(state.queues.all());
    all.addAll(kept);
    all.stream().filter(r -> state.blocks.restsOn(r, gone, step)).forEach(onSand::add);
  }

  /** A step failed, for a request or, if null, as a whole: those loaded behind it end. */
  void failSharers(ModelRequest failed, long step) {
    for (ModelRequest request : state.queues.all()) {
      final boolean loads = request.transfer.load != Load.NONE || loaded.contains(request);
      if (loads && state.blocks.restsOn(request, failed, step)) {
        state.blocks.forgetBeyond(request, 0);
        state.end(request, FinishReason.EXECUTOR_FAILED);
      }
    }
    kept.stream()
        .filter(request -> state.blocks.restsOn(request, failed, step))
        .forEach(request -> state.blocks.forgetBeyond(request, 0));
  }

  private void failed(ModelRequest request, int good) {
    failedLoads++;
    request.transfer.neverAgain = true;
    state.blocks.forgetBeyond(request, good);
    if (request.transfer.load == Load.NONE) {
      giveBack(request);
    } else {
      request.transfer.failed = true;
      request.computed = good;
    }
  }

  private boolean isAffected(ModelRequest request, Set<Integer> bad, Set<ModelRequest> onSand) {
    return onSand.contains(request) || good(request, bad, onSand) < request.computed;
  }

  private int good(ModelRequest request, Set<Integer> bad, Set<ModelRequest> onSand) {
    for (int b = 0; b < request.blocks.size(); b++) {
      final int tokens = b * state.shape.blockSize();
      if (tokens < request.computed && bad.contains(request.blocks.get(b))) {
        return tokens;
      }
    }
    return onSand.contains(request) ? 0 : request.computed;
  }
}
