package dev.headway.report.fpm;

/** Count, exact sum and population variance of whole numbers, in one pass. */
final class Welford {

  private long count;
  private long sum;
  private double mean;
  private double squares;

  void add(long value) {
    count++;
    sum += value;
    final double distance = value - mean;
    mean += distance / count;
    squares += distance * (value - mean);
  }

  long count() {
    return count;
  }

  long sum() {
    return sum;
  }

  /** 0 of none. */
  double variance() {
    return count == 0 ? 0 : squares / count;
  }
}
