package dev.headway.simulation.fit;

import dev.headway.simulation.regression.Feature;

/**
 * The columns of a form: what the rows have, or the simple ones of that and all products of two.
 * One thread.
 */
final class RequestFeatures {

  private final int simple;
  private final boolean hasProducts;
  private final Feature[] columns;

  /**
   * The columns over some features.
   *
   * @param features of the rows; the first is the constant
   * @param simple so many of them are no products
   */
  RequestFeatures(Feature[] features, int simple, RequestForm form) {
    this.simple = simple;
    hasProducts = form != RequestForm.LINEAR;
    columns = hasProducts ? withProducts(features, simple) : features;
  }

  private static Feature[] withProducts(Feature[] features, int simple) {
    final Feature[] columns = new Feature[simple + simple * (simple - 1) / 2];
    System.arraycopy(features, 0, columns, 0, simple);
    int column = simple;
    for (int i = 1; i < simple; i++) {
      for (int j = i; j < simple; j++) {
        columns[column++] =
            Feature.free(
                features[i].name() + "_x_" + features[j].name(),
                (features[i].unit() + " " + features[j].unit()).strip());
      }
    }
    return columns;
  }

  /** The columns. */
  Feature[] columns() {
    return columns;
  }

  /** The columns of a row; {@code into} is as long as they are, and is what comes back. */
  double[] fill(double[] row, double[] into) {
    System.arraycopy(row, 0, into, 0, hasProducts ? simple : row.length);
    int column = simple;
    for (int i = 1; i < simple && hasProducts; i++) {
      for (int j = i; j < simple; j++) {
        into[column++] = row[i] * row[j];
      }
    }
    return into;
  }
}
