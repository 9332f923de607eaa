package dev.headway.faultsim.simulation;

/** What is thrown on purpose; without a stack trace, which would take longer than the step. */
final class Fault extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private Fault(String message) {
    super(message, null, false, false);
  }

  private static final class Serious extends Error {

    private static final long serialVersionUID = 1L;

    Serious(String message) {
      super(message, null, false, false);
    }
  }

  /** Throws an exception, or now and then an error. */
  static RuntimeException of(String where, Dice dice) {
    return switch (dice.below(12)) {
      case 0 -> throw new Serious(where);
      case 1 -> new IllegalStateException(where, null);
      default -> new Fault(where);
    };
  }

  /** An exception that says where it comes from. */
  static Fault of(String where) {
    return new Fault(where);
  }
}
