package dev.headway.toolbox.stats;

import java.util.Arrays;

/** Every k-th value of a stream in its order, with k as small as a limit on their number allows. */
public final class EveryKth {

  private final double[] kept;
  private int size;
  private long step = 1;
  private long seen;

  /** Keeps at most {@code limit} values, an even number. */
  public EveryKth(int limit) {
    this.kept = new double[limit];
  }

  /** Adds a value. */
  public void add(double value) {
    if (seen++ % step != 0) {
      return;
    }
    if (size == kept.length) {
      for (int i = 0; i < size / 2; i++) {
        kept[i] = kept[2 * i];
      }
      size /= 2;
      step *= 2;
      if ((seen - 1) % step != 0) {
        return;
      }
    }
    kept[size++] = value;
  }

  /** The kept values. */
  public double[] values() {
    return Arrays.copyOf(kept, size);
  }

  /** How many were added for one that is kept. */
  public long step() {
    return step;
  }
}
