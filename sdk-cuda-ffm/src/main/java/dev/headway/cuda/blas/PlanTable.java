package dev.headway.cuda.blas;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Plans by shape: open addressing over longs, so that a look-up allocates nothing. */
final class PlanTable {
  private static final int ROW_BITS = 18;
  private static final int BITS = 20;
  private static final int FIRST_CAPACITY = 64;

  private long[] keys = new long[FIRST_CAPACITY];
  private @Nullable Plan[] plans = new Plan[FIRST_CAPACITY];
  private int size;

  /** All of a shape in one number. */
  static long key(
      int m, int n, int k, BlasOutput output, BlasScales scales, boolean bias, int alignment) {
    if (m >>> ROW_BITS != 0 || n >>> BITS != 0 || k >>> BITS != 0) {
      throw new IllegalArgumentException(
          "m must be in [1, 2^18), n and k in [1, 2^20): m=" + m + ", n=" + n + ", k=" + k);
    }
    final long shape = ((long) m << BITS | n) << BITS | k;
    final int types = scales.number() << 1 | (output == BlasOutput.FP32 ? 1 : 0);
    return shape << 6 | (long) types << 3 | alignment << 1 | (bias ? 1 : 0);
  }

  @Nullable Plan get(long key) {
    return plans[slot(key)];
  }

  void put(long key, Plan plan) {
    if (2 * ++size > keys.length) {
      grow();
    }
    final int slot = slot(key);
    keys[slot] = key;
    plans[slot] = plan;
  }

  void forEach(Consumer<Plan> action) {
    for (Plan plan : plans) {
      if (plan != null) {
        action.accept(plan);
      }
    }
  }

  private int slot(long key) {
    final int mask = keys.length - 1;
    int slot = (int) ((key * 0x9E3779B97F4A7C15L) >>> 40) & mask;
    while (plans[slot] != null && keys[slot] != key) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    final long[] oldKeys = keys;
    final @Nullable Plan[] oldPlans = plans;
    keys = new long[2 * oldKeys.length];
    plans = new Plan[keys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldPlans[i] != null) {
        final int slot = slot(oldKeys[i]);
        keys[slot] = oldKeys[i];
        plans[slot] = oldPlans[i];
      }
    }
  }
}
