package dev.headway.executor.plan;

import dev.headway.api.step.StepPlan;

/**
 * What a step does to whole blocks before it computes, in this order: saves, loads, zeroing,
 * copies. One thread at a time. Allocates nothing once its arrays have grown.
 */
public final class BlockWork {
  private final BlockPairs saves = new BlockPairs();
  private final BlockPairs loads = new BlockPairs();
  private final BlockPairs copies = new BlockPairs();
  private int[] zeroed = new int[16];
  private int zeroedCount;

  /** Starts empty. */
  public BlockWork() {}

  /** Copies a plan's. */
  public void pack(StepPlan plan) {
    saves.begin(plan.saveCount());
    for (int i = 0; i < saves.count(); i++) {
      saves.set(i, plan.saveSource(i), plan.saveTarget(i));
    }
    loads.begin(plan.loadCount());
    for (int i = 0; i < loads.count(); i++) {
      loads.set(i, plan.loadSource(i), plan.loadTarget(i));
    }
    zeroedCount = plan.zeroedCount();
    if (zeroed.length < zeroedCount) {
      zeroed = new int[2 * zeroedCount];
    }
    for (int i = 0; i < zeroedCount; i++) {
      zeroed[i] = plan.zeroedBlock(i);
    }
    copies.begin(plan.copyCount());
    for (int i = 0; i < copies.count(); i++) {
      copies.set(i, plan.copySource(i), plan.copyTarget(i));
    }
  }

  /** From blocks of the cache to host blocks. */
  public BlockPairs saves() {
    return saves;
  }

  /** From host blocks to blocks of the cache. */
  public BlockPairs loads() {
    return loads;
  }

  /** Within the cache. */
  public BlockPairs copies() {
    return copies;
  }

  /** Blocks to set to zero. */
  public int zeroedCount() {
    return zeroedCount;
  }

  /** A block to set to zero; {@code index} in [0, zeroedCount). */
  public int zeroed(int index) {
    return zeroed[index];
  }
}
