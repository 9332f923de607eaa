package dev.headway.loadgen.result;

import java.math.BigDecimal;

/** Percentiles in keys and tables. Stateless. */
final class Percent {

  private Percent() {}

  /** 99 as {@code 99}, 99.9 as {@code 99.9}. */
  static String text(double percent) {
    return BigDecimal.valueOf(percent).stripTrailingZeros().toPlainString();
  }
}
