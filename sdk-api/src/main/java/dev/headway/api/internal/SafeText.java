package dev.headway.api.internal;

/**
 * Text from outside (ids, names, values of files) where it must neither end a line nor hide what
 * stands around it: in logs, on terminals, in pages. Stateless.
 */
public final class SafeText {

  private SafeText() {}

  /**
   * Returns the text with every character that could do so as {@code \}{@code uXXXX}, one for each
   * of its two units where it has two. A text without any is returned as it is.
   */
  public static String of(String text) {
    int index = 0;
    while (index < text.length() && isHarmless(text.codePointAt(index))) {
      index += Character.charCount(text.codePointAt(index));
    }
    if (index == text.length()) {
      return text;
    }
    final StringBuilder safe = new StringBuilder(text.length() + 16).append(text, 0, index);
    text.substring(index).codePoints().forEach(point -> append(safe, point));
    return safe.toString();
  }

  /** Appends a character of a text as {@link #of} shows it. */
  public static void append(StringBuilder out, int codePoint) {
    if (isHarmless(codePoint)) {
      out.appendCodePoint(codePoint);
    } else {
      for (char unit : Character.toChars(codePoint)) {
        out.append("\\u").append(Integer.toHexString(0x10000 | unit), 1, 5);
      }
    }
  }

  private static boolean isHarmless(int codePoint) {
    return switch (Character.getType(codePoint)) {
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
