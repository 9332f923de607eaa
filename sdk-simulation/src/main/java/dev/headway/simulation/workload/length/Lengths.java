package dev.headway.simulation.workload.length;

import dev.headway.simulation.workload.WorkloadRequest;

/** Checks parameters, and makes lengths of numbers. */
final class Lengths {
  private Lengths() {}

  static int rounded(double value) {
    return rounded(value, 1, WorkloadRequest.MAX_TOKENS);
  }

  static int rounded(double value, int min, int max) {
    return (int) Math.clamp(StrictMath.rint(value), (double) min, (double) max);
  }

  static void requireTokens(String name, int tokens) {
    require(
        tokens >= 1 && tokens <= WorkloadRequest.MAX_TOKENS,
        name + " must be in [1, " + WorkloadRequest.MAX_TOKENS + "]",
        name,
        tokens);
  }

  static void requireBounds(int min, int max) {
    requireTokens("min", min);
    requireTokens("max", max);
    require(min <= max, "min must be <= max: max=" + max, "min", min);
  }

  static void requireFinite(String name, double value) {
    require(Double.isFinite(value), name + " must be a finite number", name, value);
  }

  static void requireNotNegative(String name, double value) {
    require(value >= 0 && Double.isFinite(value), name + " must be finite and >= 0", name, value);
  }

  static void requirePositive(String name, double value) {
    require(value > 0 && Double.isFinite(value), name + " must be finite and > 0", name, value);
  }

  static void require(boolean holds, String rule, String name, Number value) {
    if (!holds) {
      throw new IllegalArgumentException(
          rule + (rule.indexOf(':') < 0 ? ": " : ", ") + name + "=" + value);
    }
  }
}
