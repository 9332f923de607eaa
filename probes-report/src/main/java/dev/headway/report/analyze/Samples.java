package dev.headway.report.analyze;

import java.util.Arrays;

/** A growing column of figures; NaN is one that is absent. Not thread-safe. */
public final class Samples {

  private double[] values = new double[64];
  private int size;

  /** Appends a figure. */
  public void add(double value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size + (size >> 1));
    }
    values[size++] = value;
  }

  /** How many there are, absent ones included. */
  public int count() {
    return size;
  }

  /** The figure at an index in [0, count). */
  public double at(int index) {
    return values[index];
  }

  /** Sum of those present. */
  public double sum() {
    double sum = 0;
    for (int i = 0; i < size; i++) {
      sum += Double.isNaN(values[i]) ? 0 : values[i];
    }
    return sum;
  }

  /** Mean of those present; NaN of none. */
  public double mean() {
    return sum() / present();
  }

  /** How many are present. */
  public int present() {
    int present = 0;
    for (int i = 0; i < size; i++) {
      present += Double.isNaN(values[i]) ? 0 : 1;
    }
    return present;
  }

  /** Those present, in order of size. */
  public SortedSamples sorted() {
    final double[] kept = new double[present()];
    int next = 0;
    for (int i = 0; i < size; i++) {
      if (!Double.isNaN(values[i])) {
        kept[next++] = values[i];
      }
    }
    Arrays.sort(kept);
    return new SortedSamples(kept);
  }

  /** Those that {@code flags} does not hold. */
  Samples without(boolean[] flags) {
    final Samples kept = new Samples();
    for (int i = 0; i < size; i++) {
      if (!flags[i]) {
        kept.add(values[i]);
      }
    }
    return kept;
  }
}
