package dev.headway.testkit.faultsim;

/** Ends a run: a rule is broken. */
final class Broken extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient Violation violation;

  Broken(Violation violation) {
    super(violation.toString());
    this.violation = violation;
  }

  Violation violation() {
    return violation;
  }
}
