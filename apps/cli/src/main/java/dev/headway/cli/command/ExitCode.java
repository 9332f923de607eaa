package dev.headway.cli.command;

/** Exit codes of the program; 2, a wrong command line, is picocli's. */
public final class ExitCode {

  /** Done. */
  public static final int OK = 0;

  /** Failed; standard error says why. */
  public static final int FAILED = 1;

  /** Done, but what was read is not whole, or parts of the work failed. */
  public static final int INCOMPLETE = 3;

  /**
   * Done, and the answer is no: a rule of {@code check-timing} failed, or no {@code plan} is met.
   */
  public static final int RULE_FAILED = 4;

  private ExitCode() {}
}
