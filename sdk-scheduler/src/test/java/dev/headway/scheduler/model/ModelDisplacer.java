package dev.headway.scheduler.model;

import dev.headway.api.config.Displacement;
import java.util.List;

/**
 * Displacement, which vLLM does not have: a waiting request takes the place of a less important
 * running one when a seat or blocks are all it lacks.
 */
final class ModelDisplacer {

  private final ModelState state;

  ModelDisplacer(ModelState state) {
    this.state = state;
  }

  boolean freesSeat(ModelRequest head, boolean lacksMore) {
    return !lacksMore && displace(head);
  }

  boolean freesBlocks(ModelRequest head, int needed) {
    final int theirs = yielding(head).stream().mapToInt(other -> other.blocks.size()).sum();
    return state.blocks.free.size() + theirs >= needed && displace(head);
  }

  /** The least important gives way; among equals the one admitted last. */
  private boolean displace(ModelRequest head) {
    final List<ModelRequest> yielding = yielding(head).reversed();
    if (yielding.isEmpty()) {
      return false;
    }
    ModelRequest victim = yielding.getFirst();
    for (ModelRequest other : yielding) {
      victim = other.priority() > victim.priority() ? other : victim;
    }
    state.running.remove(victim);
    state.preempt(victim, head, false);
    return true;
  }

  private List<ModelRequest> yielding(ModelRequest head) {
    final Displacement rule = state.config.displacement();
    final boolean someoneAdmitted =
        state.running.stream().anyMatch(other -> other.admittedStep == state.step);
    return state.running.stream()
        .filter(other -> rule.mode() == Displacement.Mode.ON)
        .filter(other -> other.admittedStep < state.step)
        .filter(other -> state.step - other.admittedStep >= rule.minStepsBetween())
        .filter(other -> other.priority() - head.priority() >= rule.minPriorityGap())
        // those admitted in this step may build on what it was to compute
        .filter(other -> !someoneAdmitted || findable(other) <= other.computed)
        .toList();
  }

  private int findable(ModelRequest request) {
    return request.cachedBlocks * state.shape.blockSize();
  }
}
