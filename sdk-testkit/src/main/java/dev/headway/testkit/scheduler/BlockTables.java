package dev.headway.testkit.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Block tables as an executor keeps them that takes only new blocks from each plan: they must be
 * those of the plan.
 */
final class BlockTables {

  private final Map<String, int[]> tables = new HashMap<>();

  /** An executor has got a plan. */
  void take(StepPlan plan) {
    for (int i = 0; i < plan.preempted().size(); i++) {
      tables.remove(plan.preempted().id(i));
    }
    for (int i = 0; i < plan.finished().size(); i++) {
      tables.remove(plan.finished().id(i));
    }
    for (int entry = 0; entry < plan.size(); entry++) {
      take(plan, entry);
    }
  }

  private void take(StepPlan plan, int entry) {
    final String id = plan.request(entry).id();
    final String at = "stepId=" + plan.stepId() + ", id=" + id;
    final int from = plan.blocks().newFrom(entry, 0);
    final int count = plan.blocks().count(entry, 0);
    assertTrue(
        0 <= from && from <= count,
        () -> "the first new block must be in [0, count]: " + at + ", newFrom=" + from);
    int[] known = tables.getOrDefault(id, new int[0]);
    if (plan.kind(entry) != EntryKind.RUNNING) {
      assertEquals(0, from, () -> "all blocks of an admission are new: " + at);
      known = new int[0];
    }
    final int[] expected = new int[count];
    plan.blocks().of(entry).copyBlockIds(0, 0, expected, 0, count);
    final int[] table = Arrays.copyOf(known, count);
    System.arraycopy(expected, from, table, from, count - from);
    assertEquals(
        Arrays.toString(expected),
        Arrays.toString(table),
        () -> "the blocks received before and the new ones must be the table: " + at);
    tables.put(id, table);
  }
}
