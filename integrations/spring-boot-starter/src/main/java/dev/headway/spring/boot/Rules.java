package dev.headway.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What properties have to be. Stateless. */
final class Rules {

  private Rules() {}

  /**
   * Requires that a number is not too small.
   *
   * @throws IllegalArgumentException naming the property, the rule and the value
   */
  static void atLeast(String key, @Nullable Number value, long least) {
    require(
        value == null || value.longValue() >= least,
        key + " must be >= " + least + ": " + key + "=" + value);
  }

  /**
   * Requires that a time is longer than none.
   *
   * @throws IllegalArgumentException naming the property, the rule and the value
   */
  static void positive(String key, @Nullable Duration value) {
    require(value == null || value.isPositive(), key + " must be > 0: " + key + "=" + value);
  }

  /**
   * Requires that a time can be waited for.
   *
   * @throws IllegalArgumentException naming the property, the rule and the value
   */
  static void notNegative(String key, Duration value) {
    require(!value.isNegative(), key + " must be >= 0: " + key + "=" + value);
  }

  /**
   * Requires a condition.
   *
   * @throws IllegalArgumentException with the message
   */
  static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
