package dev.headway.probes.csv.check;

/**
 * What a rule came to.
 *
 * @param rule its short name
 * @param requirement what must hold
 * @param status in one word
 * @param checked rows it looked at
 * @param violations those of them that break it
 * @param detail the first offender with its figures, or why the rule was skipped; else empty
 */
public record Verdict(
    String rule, String requirement, Status status, long checked, long violations, String detail) {

  /** How a rule ends. */
  public enum Status {
    /** No row breaks it. */
    PASS,
    /** A row breaks it. */
    FAIL,
    /** It has nothing to look at. */
    SKIP
  }

  static Verdict skipped(String rule, String requirement, String why) {
    return new Verdict(rule, requirement, Status.SKIP, 0, 0, why);
  }

  static Verdict of(
      String rule, String requirement, long checked, long violations, String offender) {
    final Status status = violations > 0 ? Status.FAIL : checked > 0 ? Status.PASS : Status.SKIP;
    final String detail = status == Status.SKIP ? "no row that it applies to" : offender;
    return new Verdict(rule, requirement, status, checked, violations, detail);
  }
}
