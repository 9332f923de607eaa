package dev.headway.cli.plan;

/** Where the step times of a device come from. */
enum StepSource {
  /** Peak figures of the device. */
  ROOFLINE("roofline"),
  /** Measured kernels. */
  KERNELS("kernels"),
  /** A fitted model. */
  FITTED("fitted");

  private final String label;

  StepSource(String label) {
    this.label = label;
  }

  /** The word for it in files. */
  String label() {
    return label;
  }
}
