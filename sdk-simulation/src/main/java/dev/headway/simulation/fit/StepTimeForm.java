package dev.headway.simulation.fit;

/** What a model of step times is made of. */
public enum StepTimeForm {
  /**
   * What operators take at the device's peaks, or as measured, times coefficients that are fitted
   * within bounds: no step is faster than the device.
   */
  PHYSICS("physics"),
  /**
   * The same, and pieces that bend it to one machine: by the number of decodes, by the longest
   * context of them, by the tokens beside prefills. Never faster than the device at its peaks; of
   * one model on one device.
   */
  PIECEWISE("piecewise"),
  /** Counts of the step and products of some, by ordinary least squares. */
  LINEAR("linear"),
  /** Counts of the step and all products of two, by ordinary least squares. */
  POLYNOMIAL("polynomial"),
  /** The same, held back by the squares of the coefficients. */
  RIDGE("ridge"),
  /** The same, held back by the sizes of the coefficients, so that few remain. */
  LASSO("lasso");

  private final String label;

  StepTimeForm(String label) {
    this.label = label;
  }

  /** The word for it on command lines and in files. */
  public String label() {
    return label;
  }
}
