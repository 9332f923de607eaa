package dev.headway.simulation.fit;

/** What a model of requests' times is made of. */
public enum RequestForm {
  /** What is known at arrival, and the products that queues depend on, by least squares. */
  LINEAR("linear"),
  /** What is known at arrival and all products of two, by least squares. */
  POLYNOMIAL("polynomial"),
  /** The same, held back by the squares of the coefficients. */
  RIDGE("ridge"),
  /** The same, held back by the sizes of the coefficients, so that few remain. */
  LASSO("lasso");

  private final String label;

  RequestForm(String label) {
    this.label = label;
  }

  /** The word for it on command lines and in files. */
  public String label() {
    return label;
  }

  /** Whether a penalty holds its coefficients back. */
  boolean isShrunk() {
    return this == RIDGE || this == LASSO;
  }
}
