package dev.headway.cuda.plan;

import dev.headway.api.step.StepPlan;

/**
 * What a step does to whole blocks before it computes, in this order: saves, loads, zeroing,
 * copies. One thread at a time. Allocates nothing once its arrays have grown.
 */
public final class BlockWork {
  private int[] saves = new int[16];
  private int saveCount;
  private int[] loads = new int[16];
  private int loadCount;
  private int[] zeroed = new int[16];
  private int zeroedCount;
  private int[] copies = new int[16];
  private int copyCount;

  /** Starts empty. */
  public BlockWork() {}

  /** Copies a plan's. */
  public void pack(StepPlan plan) {
    saveCount = plan.saveCount();
    saves = holding(saves, 2 * saveCount);
    for (int i = 0; i < saveCount; i++) {
      saves[2 * i] = plan.saveSource(i);
      saves[2 * i + 1] = plan.saveTarget(i);
    }
    loadCount = plan.loadCount();
    loads = holding(loads, 2 * loadCount);
    for (int i = 0; i < loadCount; i++) {
      loads[2 * i] = plan.loadSource(i);
      loads[2 * i + 1] = plan.loadTarget(i);
    }
    zeroedCount = plan.zeroedCount();
    zeroed = holding(zeroed, zeroedCount);
    for (int i = 0; i < zeroedCount; i++) {
      zeroed[i] = plan.zeroedBlock(i);
    }
    copyCount = plan.copyCount();
    copies = holding(copies, 2 * copyCount);
    for (int i = 0; i < copyCount; i++) {
      copies[2 * i] = plan.copySource(i);
      copies[2 * i + 1] = plan.copyTarget(i);
    }
  }

  private static int[] holding(int[] array, int length) {
    return array.length >= length ? array : new int[2 * length];
  }

  /** Blocks to save. */
  public int saveCount() {
    return saveCount;
  }

  /** A block on the device. */
  public int saveSource(int index) {
    return saves[2 * index];
  }

  /** A host block. */
  public int saveTarget(int index) {
    return saves[2 * index + 1];
  }

  /** Blocks to load. */
  public int loadCount() {
    return loadCount;
  }

  /** A host block. */
  public int loadSource(int index) {
    return loads[2 * index];
  }

  /** A block on the device. */
  public int loadTarget(int index) {
    return loads[2 * index + 1];
  }

  /** Blocks to set to zero. */
  public int zeroedCount() {
    return zeroedCount;
  }

  /** A block on the device. */
  public int zeroed(int index) {
    return zeroed[index];
  }

  /** Blocks to copy. */
  public int copyCount() {
    return copyCount;
  }

  /** A block on the device. */
  public int copySource(int index) {
    return copies[2 * index];
  }

  /** A block on the device. */
  public int copyTarget(int index) {
    return copies[2 * index + 1];
  }
}
