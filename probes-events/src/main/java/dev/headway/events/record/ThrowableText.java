package dev.headway.events.record;

import org.jspecify.annotations.Nullable;

/** Puts a throwable into words. */
final class ThrowableText {

  private ThrowableText() {}

  /** Returns class and message, or null for none; also if the throwable's own words throw. */
  static @Nullable String text(@Nullable Throwable cause) {
    if (cause == null) {
      return null;
    }
    try {
      return String.valueOf(cause);
    } catch (RuntimeException e) {
      return cause.getClass().getName();
    }
  }
}
