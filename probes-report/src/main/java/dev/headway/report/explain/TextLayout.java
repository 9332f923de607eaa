package dev.headway.report.explain;

import dev.headway.api.internal.SafeText;

/** Plain text of {@value #WIDTH} columns at most, unless a single word is longer. */
final class TextLayout {

  static final int WIDTH = 92;

  private static final int LEFT = 18;
  private static final int HANGING = 2;

  private final StringBuilder out = new StringBuilder();

  /** A heading, with an empty line before it unless it is the first. */
  TextLayout heading(String text) {
    if (out.length() > 0) {
      out.append('\n');
    }
    return paragraph(0, text);
  }

  /** Text with an indent. */
  TextLayout text(String text) {
    return paragraph(HANGING, text);
  }

  /** Text beside a number that says when. */
  TextLayout at(long offsetNs, String text) {
    final String left = String.format("%" + LEFT + "s", Durations.count(offsetNs));
    return wrapped(left + "  ", LEFT + HANGING, text);
  }

  /** More text below {@link #at}. */
  TextLayout more(String text) {
    return wrapped(" ".repeat(LEFT + HANGING), LEFT + HANGING, text);
  }

  /** A line that fits by itself. */
  TextLayout line(String line) {
    out.append(line.stripTrailing()).append('\n');
    return this;
  }

  @Override
  public String toString() {
    return out.toString();
  }

  private TextLayout paragraph(int indent, String text) {
    return wrapped(" ".repeat(indent), indent, text);
  }

  private TextLayout wrapped(String first, int indent, String text) {
    final StringBuilder line = new StringBuilder(first);
    boolean empty = true;
    for (String word : SafeText.of(text).split(" ", -1)) {
      if (!empty && line.length() + 1 + word.length() > WIDTH) {
        line(line.toString());
        line.setLength(0);
        line.append(" ".repeat(indent));
        empty = true;
      }
      line.append(empty ? "" : " ").append(word);
      empty = false;
    }
    return line(line.toString());
  }
}
