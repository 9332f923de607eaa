package dev.headway.simulation.sweep;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values of a row in the order of the columns of its {@link SweepTable}: a Long, Double, String
 * or null each. Immutable.
 */
public final class SweepRow {

  private final List<@Nullable Object> values;

  SweepRow(List<? extends @Nullable Object> values) {
    this.values = Collections.unmodifiableList(new ArrayList<>(values));
  }

  /** All values. */
  public List<@Nullable Object> values() {
    return values;
  }

  /** The number of its cell, counted from 1. */
  public int cell() {
    return Math.toIntExact(whole(SweepTable.CELL));
  }

  /** Which run of its cell it is, counted from 1. */
  public int probe() {
    return Math.toIntExact(whole(SweepTable.PROBE));
  }

  private long whole(int column) {
    if (values.get(column) instanceof Long number) {
      return number;
    }
    throw new IllegalStateException("a row must have a cell and a probe: values=" + values);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SweepRow row && values.equals(row.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  @Override
  public String toString() {
    return "SweepRow" + values;
  }
}
