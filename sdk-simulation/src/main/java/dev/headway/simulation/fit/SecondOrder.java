package dev.headway.simulation.fit;

/** A row of a regression: 1, some values, and all products of two of them. */
final class SecondOrder {

  private SecondOrder() {}

  /** Columns for {@code values} values. */
  static int columns(int values) {
    return 1 + values + values * (values + 1) / 2;
  }

  /** Writes the row; allocates nothing. */
  static void fill(double[] values, double[] into) {
    into[0] = 1;
    System.arraycopy(values, 0, into, 1, values.length);
    int column = 1 + values.length;
    for (int i = 0; i < values.length; i++) {
      for (int j = i; j < values.length; j++) {
        into[column++] = values[i] * values[j];
      }
    }
  }
}
