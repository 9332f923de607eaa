package dev.headway.scheduler.model;

import dev.headway.api.config.Displacement;
import java.util.Collections;
import java.util.List;

/**
 * Displacement, which vLLM does not have: a waiting request takes the place of a less important
 * running one when a seat or blocks are all it lacks, and it then gets them.
 */
final class ModelDisplacer {

  private final ModelState state;

  ModelDisplacer(ModelState state) {
    this.state = state;
  }

  boolean isEnabled() {
    return state.config.displacement().mode() == Displacement.Mode.ON;
  }

  boolean hasVictim(ModelRequest head) {
    return !head.displacedInVain && !yielding(head).isEmpty();
  }

  /** All it lacks is a seat, and perhaps blocks that come with it. */
  boolean freesSeat(ModelRequest head, List<Integer> hits, int needed) {
    return canFree(head, hits, needed) && displace(head, yielding(head));
  }

  boolean freesBlocks(ModelRequest head, List<Integer> hits, int needed) {
    final List<ModelRequest> useful =
        yielding(head).stream().filter(other -> gained(other, hits) > 0).toList();
    return !head.displacedInVain && canFree(head, hits, needed) && displace(head, useful);
  }

  private boolean canFree(ModelRequest head, List<Integer> hits, int needed) {
    final int theirs = yielding(head).stream().mapToInt(other -> gained(other, hits)).sum();
    return state.blocks.free.size() + theirs >= needed;
  }

  private int gained(ModelRequest other, List<Integer> hits) {
    final boolean planned = state.plan.stream().anyMatch(entry -> entry.request() == other);
    return state.blocks.gained(other, planned ? state.step - 1 : other.lastStep, hits);
  }

  /** The least important gives way; among equals the one admitted last. */
  private boolean displace(ModelRequest head, List<ModelRequest> candidates) {
    if (candidates.isEmpty()) {
      return false;
    }
    ModelRequest victim = candidates.getLast();
    for (ModelRequest other : candidates.reversed()) {
      victim = other.priority() > victim.priority() ? other : victim;
    }
    state.running.remove(victim);
    state.preempt(victim, head, false);
    return true;
  }

  private List<ModelRequest> yielding(ModelRequest head) {
    final Displacement rule = state.config.displacement();
    final List<ModelRequest> admitted =
        state.running.stream().filter(other -> other.admittedStep == state.step).toList();
    return state.running.stream()
        .filter(other -> rule.mode() == Displacement.Mode.ON)
        .filter(other -> other.admittedStep < state.step)
        .filter(other -> state.step - other.admittedStep >= rule.minStepsBetween())
        .filter(other -> other.priority() - head.priority() >= rule.minPriorityGap())
        // those admitted in this step may build on what it was to compute
        .filter(other -> Collections.disjoint(toFill(other), blocks(admitted)))
        .toList();
  }

  private List<Integer> toFill(ModelRequest request) {
    final int full = request.computed / state.shape.blockSize();
    return request.blocks.subList(Math.min(full, request.blocks.size()), request.blocks.size());
  }

  private static List<Integer> blocks(List<ModelRequest> requests) {
    return requests.stream().flatMap(request -> request.blocks.stream()).toList();
  }
}
