package dev.headway.toolbox.html;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Writes elements, attributes and text; what is not markup cannot become markup. Not thread-safe.
 *
 * <p>Control and direction characters, which could hide or turn around what a name says, become
 * visible as {@code \}{@code uXXXX}.
 */
public final class Markup {

  private final StringBuilder out = new StringBuilder(1 << 16);
  private final Deque<String> open = new ArrayDeque<>();

  /** Opens an element; attributes are names and values in turn. */
  public Markup open(String tag, String... attributes) {
    start(tag, attributes);
    out.append('>');
    open.push(tag);
    return this;
  }

  /** Closes the element opened last, which must be {@code tag}. */
  public Markup close(String tag) {
    if (open.isEmpty() || !open.peek().equals(tag)) {
      throw new IllegalStateException(
          "the innermost open element must be closed first: tag=" + tag + ", open=" + open);
    }
    open.pop();
    out.append("</").append(tag).append('>');
    return this;
  }

  /** An element of HTML without content and end, such as {@code meta}. */
  public Markup single(String tag, String... attributes) {
    start(tag, attributes);
    out.append('>');
    return this;
  }

  /** An element of SVG without content. */
  public Markup shape(String tag, String... attributes) {
    start(tag, attributes);
    out.append("/>");
    return this;
  }

  /** An element that holds nothing but text. */
  public Markup element(String tag, String text, String... attributes) {
    return open(tag, attributes).text(text).close(tag);
  }

  /** Text. */
  public Markup text(String text) {
    escape(out, text);
    return this;
  }

  /** Markup of our own making, as it is. */
  public Markup trusted(String markup) {
    out.append(markup);
    return this;
  }

  /** A line break in the source, for legibility. */
  public Markup line() {
    out.append('\n');
    return this;
  }

  /** Characters so far. */
  public int length() {
    return out.length();
  }

  /** What was written; every element must be closed. */
  @Override
  public String toString() {
    if (!open.isEmpty()) {
      throw new IllegalStateException("every element must be closed: open=" + open);
    }
    return out.toString();
  }

  private void start(String tag, String... attributes) {
    out.append('<').append(tag);
    for (int i = 0; i < attributes.length; i += 2) {
      out.append(' ').append(attributes[i]).append("=\"");
      escape(out, attributes[i + 1]);
      out.append('"');
    }
  }

  private static void escape(StringBuilder out, String text) {
    text.codePoints().forEach(point -> escape(out, point));
  }

  private static void escape(StringBuilder out, int point) {
    switch (point) {
      case '&' -> out.append("&amp;");
      case '<' -> out.append("&lt;");
      case '>' -> out.append("&gt;");
      case '"' -> out.append("&quot;");
      case '\'' -> out.append("&#39;");
      default -> appendVisible(out, point);
    }
  }

  /** As the API's {@code SafeText}, which is not seen from here. */
  private static void appendVisible(StringBuilder out, int point) {
    switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE -> {
        for (char unit : Character.toChars(point)) {
          out.append("\\u").append(Integer.toHexString(0x10000 | unit), 1, 5);
        }
      }
      default -> out.appendCodePoint(point);
    }
  }
}
