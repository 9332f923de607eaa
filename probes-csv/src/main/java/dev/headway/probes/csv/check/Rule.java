package dev.headway.probes.csv.check;

import java.util.List;
import java.util.Set;

/**
 * A rule that looks at one row at a time. Not thread-safe.
 *
 * <p>It is skipped if the file lacks a column that it needs.
 */
final class Rule {

  /** What a rule says of a row. */
  enum Finding {
    /** It does not apply. */
    NONE,
    /** The row keeps it. */
    KEPT,
    /** The row breaks it. */
    BROKEN;

    static Finding of(boolean holds) {
      return holds ? KEPT : BROKEN;
    }
  }

  /** Looks at a row. */
  @FunctionalInterface
  interface Test {
    Finding of(CsvRow row);
  }

  private final String name;
  private final String requirement;
  private final List<String> needs;
  private final Test test;
  private String missing = "";
  private long checked;
  private long violations;
  private String offender = "";

  Rule(String name, String requirement, List<String> needs, Test test) {
    this.name = name;
    this.requirement = requirement;
    this.needs = needs;
    this.test = test;
  }

  /** Learns which columns there are. */
  void header(Set<String> columns) {
    for (String column : needs) {
      if (missing.isEmpty() && !columns.contains(column)) {
        missing = column;
      }
    }
  }

  void check(CsvRow row) {
    if (!missing.isEmpty()) {
      return;
    }
    final Finding finding = test.of(row);
    if (finding == Finding.NONE) {
      return;
    }
    checked++;
    if (finding == Finding.BROKEN) {
      violations++;
      if (offender.isEmpty()) {
        offender = row.show(needs.toArray(new String[0]));
      }
    }
  }

  Verdict verdict() {
    return missing.isEmpty()
        ? Verdict.of(name, requirement, checked, violations, offender)
        : Verdict.skipped(name, requirement, "the file has no column " + missing);
  }
}
