package dev.headway.grammar.schema;

import dev.headway.grammar.network.Budget;
import dev.headway.grammar.regex.Automatons;
import dev.headway.grammar.regex.RegexParser;
import java.math.BigDecimal;
import java.util.List;
import org.apache.lucene.util.automaton.Automata;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.Operations;
import org.jspecify.annotations.Nullable;

/**
 * Numbers within bounds, written as digits with a point or without, and without exponent. One
 * thread.
 */
final class Decimals {

  private static final int MOST_DIGITS = 64;

  /** Without a sign; zero has no other form than 0, 0.0 and so on. */
  private static final String UNSIGNED = "(0|[1-9][0-9]*)(\\.[0-9]+)?";

  private static final String UNSIGNED_INTEGER = "0|[1-9][0-9]*";

  /**
   * One side of a range.
   *
   * @param isIncluded whether the value itself is inside
   */
  record Bound(BigDecimal value, boolean isIncluded) {

    /** Whether its digits can be written out. */
    boolean isShort() {
      return value.precision() - (long) value.scale() <= MOST_DIGITS
          && value.scale() <= MOST_DIGITS;
    }

    private Bound negated() {
      return new Bound(value.negate(), isIncluded);
    }
  }

  private final Budget budget;
  private final Automaton unsigned;

  private Decimals(boolean isInteger, Budget budget) {
    this.budget = budget;
    this.unsigned =
        RegexParser.whole(isInteger ? UNSIGNED_INTEGER : UNSIGNED, budget).automaton(budget);
  }

  /**
   * Returns the numbers within bounds.
   *
   * @param low of them, or null for none
   * @param high of them, or null for none
   */
  static Automaton within(
      boolean isInteger, @Nullable Bound low, @Nullable Bound high, Budget budget) {
    final Decimals decimals = new Decimals(isInteger, budget);
    final Automaton positive =
        decimals.magnitudes(low == null ? new Bound(BigDecimal.ZERO, true) : low, high);
    final Bound aboveZero = new Bound(BigDecimal.ZERO, false);
    final Bound least = high == null ? aboveZero : high.negated();
    final Automaton negative =
        decimals.magnitudes(
            least.value.signum() > 0 ? least : aboveZero, low == null ? null : low.negated());
    return Automatons.determinized(
        Operations.union(
            List.of(positive, Operations.concatenate(List.of(Automata.makeChar('-'), negative)))),
        budget);
  }

  /** Numbers from 0 on. */
  private Automaton magnitudes(Bound low, @Nullable Bound high) {
    Automaton made = unsigned;
    if (low.value.signum() > 0 || (low.value.signum() == 0 && !low.isIncluded)) {
      made = Automatons.both(made, compared(low, true), budget);
    }
    if (high != null) {
      made =
          high.value.signum() < 0
              ? Automata.makeEmpty()
              : Automatons.both(made, compared(high, false), budget);
    }
    return made;
  }

  /**
   * Texts of digits whose value is above a bound, or below it: by the number of digits in front of
   * the point, then digit by digit. The form of the texts is for {@link #unsigned} to see to.
   */
  private static Automaton compared(Bound bound, boolean isAbove) {
    final BigDecimal value = bound.value.stripTrailingZeros();
    final String digits = value.setScale(Math.max(value.scale(), 0)).toPlainString();
    final int point = digits.indexOf('.');
    final String whole = point < 0 ? digits : digits.substring(0, point);
    final String fraction = point < 0 ? "" : digits.substring(point + 1);
    final Automaton.Builder made = new Automaton.Builder();
    final Side side = new Side(made, isAbove, bound.isIncluded);
    side.whole(whole, fraction);
    return Operations.removeDeadStates(made.finish());
  }

  /** Builds the states of a comparison. */
  private static final class Side {

    private final Automaton.Builder made;
    private final boolean isAbove;
    private final boolean isIncluded;
    private final int begin;
    private final int anyFraction;

    Side(Automaton.Builder made, boolean isAbove, boolean isIncluded) {
      this.made = made;
      this.isAbove = isAbove;
      this.isIncluded = isIncluded;
      this.begin = made.createState();
      this.anyFraction = made.createState();
      made.setAccept(anyFraction, true);
      made.addTransition(anyFraction, anyFraction, '0', '9');
    }

    void whole(String whole, String fraction) {
      if (isAbove) {
        final int longer = digits(begin, whole.length() + 1);
        made.addTransition(longer, longer, '0', '9');
        decided(longer);
      } else {
        for (int length = 1; length < whole.length(); length++) {
          decided(digits(begin, length));
        }
      }
      int equal = begin;
      for (int i = 0; i < whole.length(); i++) {
        final char digit = whole.charAt(i);
        final int rest = whole.length() - i - 1;
        final char low = isAbove ? (char) (digit + 1) : '0';
        final char high = isAbove ? '9' : (char) (digit - 1);
        if (low <= high) {
          final int other = made.createState();
          made.addTransition(equal, other, low, high);
          decided(digits(other, rest));
        }
        final int next = made.createState();
        made.addTransition(equal, next, digit, digit);
        equal = next;
      }
      fraction(equal, fraction);
    }

    private int digits(int from, int count) {
      int at = from;
      for (int i = 0; i < count; i++) {
        final int next = made.createState();
        made.addTransition(at, next, '0', '9');
        at = next;
      }
      return at;
    }

    /** The number is inside whatever follows the point. */
    private void decided(int state) {
      made.setAccept(state, true);
      made.addTransition(state, anyFraction, '.', '.');
    }

    private void fraction(int equalSoFar, String fraction) {
      made.setAccept(equalSoFar, isAcceptedAt(fraction));
      int equal = made.createState();
      made.addTransition(equalSoFar, equal, '.', '.');
      for (int i = 0; i < fraction.length(); i++) {
        final char digit = fraction.charAt(i);
        final char low = isAbove ? (char) (digit + 1) : '0';
        final char high = isAbove ? '9' : (char) (digit - 1);
        if (low <= high) {
          made.addTransition(equal, anyFraction, low, high);
        }
        final int next = made.createState();
        made.addTransition(equal, next, digit, digit);
        made.setAccept(next, isAcceptedAt(fraction.substring(i + 1)));
        equal = next;
      }
      behind(equal);
    }

    /** What a number is that ends while so many digits of the bound, the last no 0, are left. */
    private boolean isAcceptedAt(String left) {
      return left.isEmpty() ? isIncluded : !isAbove;
    }

    /** All digits of the bound have been met. */
    private void behind(int equal) {
      final int zeros = made.createState();
      made.setAccept(zeros, isIncluded);
      made.addTransition(equal, zeros, '0', '0');
      made.addTransition(zeros, zeros, '0', '0');
      if (isAbove) {
        made.addTransition(equal, anyFraction, '1', '9');
        made.addTransition(zeros, anyFraction, '1', '9');
      }
    }
  }
}
