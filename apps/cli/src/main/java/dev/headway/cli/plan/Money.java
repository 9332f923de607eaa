package dev.headway.cli.plan;

import java.util.Locale;

/** Costs in words: of the prices' currency, or device-hours where no price is known. Stateless. */
final class Money {

  private static final double SECONDS_PER_HOUR = 3_600;
  private static final double MILLION = 1e6;

  private Money() {}

  /** An amount. */
  static String of(Prices prices, double amount) {
    return prices.areKnown()
        ? "$" + number(amount)
        : number(amount) + (amount == 1 ? " device-hour" : " device-hours");
  }

  private static String number(double amount) {
    return amount == Math.rint(amount) && amount >= 1
        ? String.format(Locale.ROOT, "%,.0f", amount)
        : String.format(Locale.ROOT, amount < 0.1 ? "%.4f" : amount < 1 ? "%.3f" : "%,.2f", amount);
  }

  /**
   * What a million output tokens cost.
   *
   * @param perHour cost of an hour
   * @param rate requests per second
   * @param outputTokens tokens of an answer, mean
   * @return NaN at no rate
   */
  static double perMillion(double perHour, double rate, double outputTokens) {
    return rate > 0 ? perHour * MILLION / (rate * outputTokens * SECONDS_PER_HOUR) : Double.NaN;
  }
}
