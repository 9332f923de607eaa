package dev.headway.cuda.gpu;

import java.io.PrintStream;
import java.util.Locale;

/**
 * Lines of CSV: milestone, what, shape, value, unit, and the value divided by the reference of the
 * same run: a rate by the copy rate or the library's, a time by the time that the bytes take at the
 * copy rate. Empty where there is none.
 */
final class RateTable {
  private final PrintStream out;

  RateTable(PrintStream out) {
    this.out = out;
    out.println("milestone,what,shape,value,unit,value_by_reference");
  }

  void add(String milestone, String what, String shape, double value, String unit) {
    out.printf(Locale.ROOT, "%s,%s,%s,%.4g,%s,%n", milestone, what, shape, value, unit);
  }

  void add(
      String milestone, String what, String shape, double value, String unit, double reference) {
    out.printf(
        Locale.ROOT,
        "%s,%s,%s,%.4g,%s,%.3f%n",
        milestone,
        what,
        shape,
        value,
        unit,
        value / reference);
  }
}
