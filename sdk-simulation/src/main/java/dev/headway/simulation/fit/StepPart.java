package dev.headway.simulation.fit;

/** A part of a step's time that is fitted by itself. */
public enum StepPart {
  /** The forward pass on the device. */
  FORWARD("beta_forward"),
  /** All else: planning, preparing inputs, sampling, taking the output over. */
  HOST("beta_host"),
  /** The whole step, where its forward pass was not timed alone. */
  STEP("beta_step");

  private final String label;

  StepPart(String label) {
    this.label = label;
  }

  /** The word for it in files. */
  public String label() {
    return label;
  }

  /** The part of a recorded step, in ns. */
  double measuredNs(RecordedSteps steps, int row) {
    return (double)
        switch (this) {
          case FORWARD -> steps.forwardNs(row);
          case HOST -> steps.stepNs(row) - steps.forwardNs(row);
          case STEP -> steps.stepNs(row);
        };
  }
}
