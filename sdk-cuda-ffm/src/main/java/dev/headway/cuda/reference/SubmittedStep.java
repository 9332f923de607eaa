package dev.headway.cuda.reference;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.step.StepPlan;
import dev.headway.cuda.model.ModelConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A step as it was submitted: a copy of each entry, or why there is none, and the work on blocks.
 *
 * @param saves blocks and host blocks in turn
 * @param loads host blocks and blocks in turn
 * @param copies sources and targets in turn
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SubmittedStep(
    List<@Nullable EntryWork> entries,
    List<@Nullable RuntimeException> refusals,
    int[] saves,
    int[] loads,
    int[] zeroed,
    int[] copies) {

  /**
   * Copies a plan. An entry that cannot be run is refused alone.
   *
   * @throws UnsupportedOperationException if no entry of such a plan can be run
   */
  static SubmittedStep copy(StepPlan plan, ModelConfig config, KvCacheShape kvCache) {
    if (plan.hasDrafts()) {
      throw new UnsupportedOperationException(
          "this executor verifies no draft tokens: stepId="
              + plan.stepId()
              + "; switch speculation off");
    }
    if (plan.groupCount() != 1) {
      throw new UnsupportedOperationException(
          "this executor has one group of layers with full attention: groupCount="
              + plan.groupCount());
    }
    final List<@Nullable EntryWork> entries = new ArrayList<>(plan.size());
    final List<@Nullable RuntimeException> refusals = new ArrayList<>(plan.size());
    for (int entry = 0; entry < plan.size(); entry++) {
      try {
        entries.add(EntryWork.copy(plan, entry, config, kvCache));
        refusals.add(null);
      } catch (RuntimeException e) {
        entries.add(null);
        refusals.add(e);
      }
    }
    return new SubmittedStep(
        entries, refusals, saves(plan), loads(plan), zeroed(plan), copies(plan));
  }

  private static int[] saves(StepPlan plan) {
    final int[] blocks = new int[2 * plan.saveCount()];
    Arrays.setAll(blocks, i -> i % 2 == 0 ? plan.saveSource(i / 2) : plan.saveTarget(i / 2));
    return blocks;
  }

  private static int[] loads(StepPlan plan) {
    final int[] blocks = new int[2 * plan.loadCount()];
    Arrays.setAll(blocks, i -> i % 2 == 0 ? plan.loadSource(i / 2) : plan.loadTarget(i / 2));
    return blocks;
  }

  private static int[] zeroed(StepPlan plan) {
    final int[] blocks = new int[plan.zeroedCount()];
    Arrays.setAll(blocks, plan::zeroedBlock);
    return blocks;
  }

  private static int[] copies(StepPlan plan) {
    final int[] blocks = new int[2 * plan.copyCount()];
    Arrays.setAll(blocks, i -> i % 2 == 0 ? plan.copySource(i / 2) : plan.copyTarget(i / 2));
    return blocks;
  }

  /**
   * Saves, loads, zeroes and copies, in this order.
   *
   * @param numBlocks number of the first host block
   */
  void workOnBlocks(HostModel model, int numBlocks) {
    for (int i = 0; i < saves.length; i += 2) {
      model.copyBlock(saves[i], numBlocks + saves[i + 1]);
    }
    for (int i = 0; i < loads.length; i += 2) {
      model.copyBlock(numBlocks + loads[i], loads[i + 1]);
    }
    for (int block : zeroed) {
      model.zeroBlock(block);
    }
    for (int i = 0; i < copies.length; i += 2) {
      model.copyBlock(copies[i], copies[i + 1]);
    }
  }
}
