package dev.headway.probes.csv.projection;

import java.util.ArrayList;
import java.util.List;

/** What changed since the plan before: collected between steps and in the next step's decisions. */
final class StepChanges {

  private final List<String> admitted = new ArrayList<>();
  private final List<String> preempted = new ArrayList<>();
  private int evictedRequests;
  private int removedBlocks;
  private boolean swapsIn;
  private boolean swapsOut;

  void admitted(String id) {
    admitted.add(id);
  }

  void preempted(String id) {
    preempted.add(id);
  }

  void evictedRequest() {
    evictedRequests++;
  }

  void removedBlocks(int blocks) {
    removedBlocks += blocks;
  }

  /** Blocks are loaded from another tier before the step computes. */
  void swapsIn() {
    swapsIn = true;
  }

  /** Blocks are saved to another tier before the step computes. */
  void swapsOut() {
    swapsOut = true;
  }

  List<String> admitted() {
    return admitted;
  }

  List<String> preempted() {
    return preempted;
  }

  int removedBlocks() {
    return removedBlocks;
  }

  /** The action that says most about the step. */
  String mainAction() {
    final String all = actions();
    final int end = all.indexOf(';');
    return end < 0 ? all : all.substring(0, end);
  }

  /** Every action that applies, the one that says most first. */
  String actions() {
    final List<String> actions = new ArrayList<>(5);
    if (!preempted.isEmpty()) {
      actions.add("preempt");
    }
    if (!admitted.isEmpty()) {
      actions.add("admit_new");
    }
    if (swapsIn) {
      actions.add("swap_in");
    }
    if (swapsOut) {
      actions.add("swap_out");
    }
    if (removedBlocks > 0 || evictedRequests > 0) {
      actions.add("evict");
    }
    return actions.isEmpty() ? "continue" : String.join(";", actions);
  }
}
