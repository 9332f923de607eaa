package dev.headway.cuda.gpu;

import java.io.PrintStream;
import java.util.Locale;

/**
 * Lines of CSV, {@code what,shape,value,unit}, each out as soon as it is measured: a stage that
 * runs out of time keeps what it has.
 */
final class RateTable {
  static final String HEADER = "what,shape,value,unit";

  private final PrintStream out;

  RateTable(PrintStream out) {
    this.out = out;
    out.println(HEADER);
  }

  void add(String what, String shape, double value, String unit) {
    out.printf(Locale.ROOT, "%s,%s,%.5g,%s%n", what, shape, value, unit);
    out.flush();
  }
}
