package dev.headway.scheduler.engine;

/** Names from outside in log lines. */
final class LogText {

  private LogText() {}

  /**
   * Returns the name with every character that could end or hide a line as {@code \}{@code uXXXX}.
   */
  static String of(String name) {
    StringBuilder safe = null;
    for (int index = 0; index < name.length(); index++) {
      final char unit = name.charAt(index);
      if (!isHarmless(unit) && safe == null) {
        safe = new StringBuilder(name.length() + 16).append(name, 0, index);
      }
      if (safe != null) {
        append(safe, unit);
      }
    }
    return safe == null ? name : safe.toString();
  }

  private static void append(StringBuilder safe, char unit) {
    if (isHarmless(unit)) {
      safe.append(unit);
    } else {
      safe.append("\\u").append(Integer.toHexString(0x10000 | unit), 1, 5);
    }
  }

  private static boolean isHarmless(char unit) {
    return switch (Character.getType(unit)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
