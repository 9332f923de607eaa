package dev.headway.events.text;

/** Text for terminals and logs: control characters from files and names become visible. */
public final class SafeText {

  private SafeText() {}

  /** Returns the text with every control character as {@code \}{@code uXXXX}, on one line. */
  public static String of(String text) {
    final StringBuilder safe = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            point -> {
              if (isHarmless(point)) {
                safe.appendCodePoint(point);
              } else {
                safe.append("\\u").append(Integer.toHexString(0x10000 | point).substring(1));
              }
            });
    return safe.toString();
  }

  private static boolean isHarmless(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      default -> true;
    };
  }
}
