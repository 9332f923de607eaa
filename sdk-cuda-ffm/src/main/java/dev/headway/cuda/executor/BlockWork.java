package dev.headway.cuda.executor;

import dev.headway.api.step.StepPlan;

/**
 * What a step does to whole blocks before it computes: saves, loads, zeroing, copies. The engine
 * thread packs it, the device thread reads it afterwards. Allocates nothing once its arrays have
 * grown.
 */
final class BlockWork {
  private int[] saves = new int[16];
  private int saveCount;
  private int[] loads = new int[16];
  private int loadCount;
  private int[] zeroed = new int[16];
  private int zeroedCount;
  private int[] copies = new int[16];
  private int copyCount;

  /** Copies a plan's. */
  void pack(StepPlan plan) {
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

  int saveCount() {
    return saveCount;
  }

  /** A block on the device. */
  int saveSource(int index) {
    return saves[2 * index];
  }

  /** A host block. */
  int saveTarget(int index) {
    return saves[2 * index + 1];
  }

  int loadCount() {
    return loadCount;
  }

  /** A host block. */
  int loadSource(int index) {
    return loads[2 * index];
  }

  /** A block on the device. */
  int loadTarget(int index) {
    return loads[2 * index + 1];
  }

  int zeroedCount() {
    return zeroedCount;
  }

  int zeroed(int index) {
    return zeroed[index];
  }

  int copyCount() {
    return copyCount;
  }

  int copySource(int index) {
    return copies[2 * index];
  }

  int copyTarget(int index) {
    return copies[2 * index + 1];
  }
}
