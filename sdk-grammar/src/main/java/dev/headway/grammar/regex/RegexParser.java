package dev.headway.grammar.regex;

import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.ConstraintException.Kind;
import dev.headway.grammar.network.Budget;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads regular expressions as ECMAScript writes them with its flag {@code u}. What an automaton
 * cannot have is refused: references, look-around, word boundaries, anchors inside. One thread.
 */
public final class RegexParser {

  private static final int MOST_COUNT = 1_000_000;

  private final String pattern;
  private final int maxDepth;
  private final int[] chars;
  private int at;
  private int depth;

  private RegexParser(String pattern, Budget budget) {
    this.pattern = pattern;
    this.maxDepth = budget.limits().maxDepth();
    this.chars = pattern.codePoints().toArray();
  }

  /**
   * Reads an expression for whole texts; anchors at its begin and end are allowed and change
   * nothing.
   *
   * @throws ConstraintException if it cannot be read; the message names the place
   */
  public static Regex whole(String pattern, Budget budget) {
    return new RegexParser(pattern, budget).alternatives(true);
  }

  /** Reads an expression for a part of a text, as JSON schemas have it, unless it is anchored. */
  public static Regex part(String pattern, Budget budget) {
    return new RegexParser(pattern, budget).alternatives(false);
  }

  private Regex alternatives(boolean isWhole) {
    final List<Regex> some = new ArrayList<>();
    do {
      final boolean atBegin = take('^');
      final Regex middle = sequence();
      final boolean atEnd = take('$');
      if (at < chars.length && chars[at] != '|') {
        throw chars[at] == ')'
            ? wrong("a pattern must close only groups that it opens")
            : unsupported("anchors must be at the begin and the end of a pattern");
      }
      some.add(isWhole ? middle : Regex.around(atBegin, middle, atEnd));
    } while (take('|'));
    return some.size() == 1 ? some.getFirst() : new Regex.Either(some);
  }

  private Regex sequence() {
    final List<Regex> parts = new ArrayList<>();
    while (at < chars.length && chars[at] != '|' && chars[at] != ')' && chars[at] != '$') {
      parts.add(repeated(atom()));
    }
    return parts.size() == 1 ? parts.getFirst() : new Regex.Sequence(parts);
  }

  private Regex group() {
    if (++depth > maxDepth) {
      throw new ConstraintException(
          Kind.LIMIT, "", "a pattern must have groups at most " + maxDepth + " deep");
    }
    if (take('?')) {
      if (take('<') && at < chars.length && chars[at] != '=' && chars[at] != '!') {
        skipName();
      } else if (chars[at - 1] == '<' || !take(':')) {
        throw unsupported("a pattern must have no look-around and no flags");
      }
    }
    final List<Regex> some = new ArrayList<>();
    do {
      some.add(sequence());
    } while (take('|'));
    if (at < chars.length && chars[at] == '$') {
      throw unsupported("anchors must be at the begin and the end of a pattern");
    }
    if (!take(')')) {
      throw wrong("a pattern must close its groups");
    }
    depth--;
    return some.size() == 1 ? some.getFirst() : new Regex.Either(some);
  }

  private void skipName() {
    while (at < chars.length && chars[at] != '>') {
      at++;
    }
    if (!take('>')) {
      throw wrong("a pattern must close the names of its groups");
    }
  }

  private Regex atom() {
    final int c = chars[at++];
    return switch (c) {
      case '(' -> group();
      case '[' -> new Regex.Chars(charClass());
      case '.' -> new Regex.Chars(CharRanges.not(CharRanges.LINE_ENDS));
      case '\\' -> new Regex.Chars(escape(false));
      case '^' -> throw unsupported("anchors must be at the begin and the end of a pattern");
      case '*', '+', '?' -> throw wrong("a pattern must repeat something");
      case '{', '}', ']' -> throw wrong("a pattern must have a \\ before " + (char) c);
      default -> new Regex.Chars(CharRanges.one(c));
    };
  }

  private Regex repeated(Regex atom) {
    Regex made = atom;
    if (at < chars.length) {
      final int c = chars[at];
      if (c == '*' || c == '+' || c == '?') {
        at++;
        made = new Regex.Repeat(atom, c == '+' ? 1 : 0, c == '?' ? 1 : -1);
      } else if (c == '{') {
        at++;
        made = counted(atom);
      } else {
        return atom;
      }
      take('?'); // which of several texts is found makes no difference
      if (at < chars.length && (chars[at] == '*' || chars[at] == '+' || chars[at] == '?')) {
        throw wrong("a pattern must repeat something");
      }
    }
    return made;
  }

  private Regex counted(Regex atom) {
    final int least = count();
    int most = least;
    if (take(',')) {
      most = at < chars.length && chars[at] == '}' ? -1 : count();
    }
    if (!take('}') || (most >= 0 && most < least)) {
      throw wrong("a pattern must have counts as {2}, {2,} or {2,4}");
    }
    return new Regex.Repeat(atom, least, most);
  }

  private int count() {
    int value = -1;
    while (at < chars.length && chars[at] >= '0' && chars[at] <= '9') {
      value = Math.max(value, 0) * 10 + chars[at++] - '0';
      if (value > MOST_COUNT) {
        throw new ConstraintException(
            Kind.LIMIT, "", "a pattern must repeat at most " + MOST_COUNT + " times");
      }
    }
    if (value < 0) {
      throw wrong("a pattern must have counts as {2}, {2,} or {2,4}");
    }
    return value;
  }

  private List<int[]> charClass() {
    final boolean isNot = take('^');
    final List<int[]> ranges = new ArrayList<>();
    while (at < chars.length && chars[at] != ']') {
      final List<int[]> first = classAtom();
      if (at + 1 < chars.length && chars[at] == '-' && chars[at + 1] != ']') {
        at++;
        final List<int[]> last = classAtom();
        ranges.add(range(first, last));
      } else {
        ranges.addAll(first);
      }
    }
    if (!take(']')) {
      throw wrong("a pattern must close its [");
    }
    return isNot ? CharRanges.not(ranges) : ranges;
  }

  private List<int[]> classAtom() {
    final int c = chars[at++];
    return c == '\\' ? escape(true) : CharRanges.one(c);
  }

  private int[] range(List<int[]> first, List<int[]> last) {
    final boolean areChars =
        first.size() == 1
            && last.size() == 1
            && first.getFirst()[0] == first.getFirst()[1]
            && last.getFirst()[0] == last.getFirst()[1];
    if (!areChars || first.getFirst()[0] > last.getFirst()[0]) {
      throw wrong("a pattern must have ranges of characters in order");
    }
    return new int[] {first.getFirst()[0], last.getFirst()[0]};
  }

  private List<int[]> escape(boolean inClass) {
    if (at == chars.length) {
      throw wrong("a pattern must have a character behind its last \\");
    }
    final int c = chars[at++];
    return switch (c) {
      case 'd' -> CharRanges.DIGITS;
      case 'D' -> CharRanges.not(CharRanges.DIGITS);
      case 'w' -> CharRanges.WORD;
      case 'W' -> CharRanges.not(CharRanges.WORD);
      case 's' -> CharRanges.BLANKS;
      case 'S' -> CharRanges.not(CharRanges.BLANKS);
      case 't' -> CharRanges.one('\t');
      case 'n' -> CharRanges.one('\n');
      case 'r' -> CharRanges.one('\r');
      case 'f' -> CharRanges.one('\f');
      case 'v' -> CharRanges.one(0x0b);
      case '0' -> CharRanges.one(0);
      case 'x' -> CharRanges.one(hex(2));
      case 'u' -> CharRanges.one(unicode());
      default -> CharRanges.one(literal(c, inClass));
    };
  }

  private int literal(int c, boolean inClass) {
    if (c == 'b' && inClass) {
      return '\b';
    }
    if (Character.isLetterOrDigit(c)) {
      throw unsupported(
          "a pattern must have no references, boundaries or classes but \\d, \\w and \\s: it has \\"
              + Character.toString(c));
    }
    return c;
  }

  private int unicode() {
    if (!take('{')) {
      final int high = hex(4);
      if (Character.isHighSurrogate((char) high)
          && at + 1 < chars.length
          && chars[at] == '\\'
          && chars[at + 1] == 'u') {
        at += 2;
        return Character.toCodePoint((char) high, (char) hex(4));
      }
      return high;
    }
    final int from = at;
    while (at < chars.length && chars[at] != '}') {
      at++;
    }
    final int digits = at - from;
    at = from;
    final int value = hex(digits);
    if (!take('}') || value > Character.MAX_CODE_POINT) {
      throw wrong("a pattern must have characters as \\u{1f600}");
    }
    return value;
  }

  private int hex(int digits) {
    int value = 0;
    for (int i = 0; i < digits; i++) {
      final int digit = at < chars.length ? Character.digit(chars[at++], 16) : -1;
      if (digit < 0 || digits > 6) {
        throw wrong("a pattern must have hexadecimal digits behind \\x and \\u");
      }
      value = 16 * value + digit;
    }
    return value;
  }

  private boolean take(int c) {
    if (at < chars.length && chars[at] == c) {
      at++;
      return true;
    }
    return false;
  }

  private ConstraintException wrong(String rule) {
    return because(Kind.INVALID, rule);
  }

  private ConstraintException unsupported(String rule) {
    return because(Kind.UNSUPPORTED, rule);
  }

  private ConstraintException because(Kind kind, String rule) {
    final String shown = pattern.length() > 80 ? pattern.substring(0, 80) + "..." : pattern;
    return new ConstraintException(kind, "", rule + ": at=" + at + ", pattern=" + shown);
  }
}
