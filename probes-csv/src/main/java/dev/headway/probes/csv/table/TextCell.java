package dev.headway.probes.csv.table;

import dev.headway.probes.csv.option.TextPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.commons.csv.CSVFormat;

/**
 * Turns text into the characters of a cell: neutralised, quoted by Commons CSV as RFC 4180 asks,
 * and always encodable in UTF-8. Stateless.
 *
 * <p>Half a surrogate pair has no UTF-8 form; U+FFFD replaces it.
 */
public final class TextCell {

  /** How every file is quoted: RFC 4180 with LF at the end of a line, quotes only where needed. */
  public static final CSVFormat FORMAT = CSVFormat.RFC4180.builder().setRecordSeparator('\n').get();

  private static final String FORMULA_STARTS = "=+-@\t\r\n'\uFF1D\uFF0B\uFF0D\uFF20";

  private TextCell() {}

  /** Appends the cell of {@code value} to {@code out}. */
  public static void append(StringBuilder out, CharSequence value, TextPolicy policy) {
    final CharSequence sound = replaceLoneSurrogates(value);
    final boolean marked = policy == TextPolicy.NEUTRALISED && startsFormula(sound);
    quote(out, marked ? "'" + sound : sound);
  }

  /** Returns the cell of {@code value}, for callers that write it often. */
  public static String encode(CharSequence value, TextPolicy policy) {
    final StringBuilder cell = new StringBuilder(value.length() + 4);
    append(cell, value, policy);
    return cell.toString();
  }

  /**
   * Appends text that is known to be harmless in a spreadsheet, quoted. Text with quotes, as all
   * JSON is, is copied in pieces: Commons CSV copies it character by character, which took a sixth
   * of a conversion.
   */
  static void quote(StringBuilder out, CharSequence value) {
    final String text = value.toString();
    int quote = text.indexOf('"');
    if (quote < 0) {
      print(out, text);
      return;
    }
    out.append('"');
    int from = 0;
    while (quote >= 0) {
      out.append(text, from, quote + 1).append('"');
      from = quote + 1;
      quote = text.indexOf('"', from);
    }
    out.append(text, from, text.length()).append('"');
  }

  private static void print(StringBuilder out, String value) {
    try {
      FORMAT.print(value, out, true);
    } catch (IOException impossible) {
      throw new UncheckedIOException("a StringBuilder does not fail", impossible);
    }
  }

  private static boolean startsFormula(CharSequence value) {
    return !value.isEmpty() && FORMULA_STARTS.indexOf(value.charAt(0)) >= 0;
  }

  private static CharSequence replaceLoneSurrogates(CharSequence value) {
    for (int i = 0; i < value.length(); i++) {
      if (Character.isSurrogate(value.charAt(i))) {
        return replaceFrom(value, i);
      }
    }
    return value;
  }

  private static CharSequence replaceFrom(CharSequence value, int first) {
    final StringBuilder sound = new StringBuilder(value.length()).append(value, 0, first);
    value
        .subSequence(first, value.length())
        .codePoints()
        .map(point -> point >= 0xD800 && point <= 0xDFFF ? 0xFFFD : point)
        .forEach(sound::appendCodePoint);
    return sound;
  }
}
