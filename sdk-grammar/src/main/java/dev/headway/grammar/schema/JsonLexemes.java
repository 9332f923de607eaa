package dev.headway.grammar.schema;

import dev.headway.grammar.network.Budget;
import dev.headway.grammar.regex.Automatons;
import dev.headway.grammar.regex.RegexParser;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.Operations;
import org.apache.lucene.util.automaton.Transition;

/** Strings and numbers as JSON writes them. Stateless; any thread. */
final class JsonLexemes {

  /** A character of a string. Halves of surrogate pairs stand together only. */
  private static final String CHARACTER =
      "[^\"\\\\\\x00-\\x1f]|\\\\([\"\\\\/bfnrt]|u("
          + "[0-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}"
          + "|[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}))";

  private static final String STRING = "\"(" + CHARACTER + ")*\"";
  private static final String INTEGER = "0|-?[1-9][0-9]*";
  private static final String NUMBER = "-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]{1,2})?";

  /** Control characters that have an escape of one letter, and those letters. */
  private static final String CONTROLS = "\b\t\n\f\r";

  private static final String LETTERS = "btnfr";

  private JsonLexemes() {}

  static Automaton character(Budget budget) {
    return bytes(CHARACTER, budget);
  }

  static Automaton string(Budget budget) {
    return bytes(STRING, budget);
  }

  static Automaton integer(Budget budget) {
    return bytes(INTEGER, budget);
  }

  static Automaton number(Budget budget) {
    return bytes(NUMBER, budget);
  }

  private static Automaton bytes(String regex, Budget budget) {
    return Automatons.bytes(RegexParser.whole(regex, budget).automaton(budget), budget);
  }

  /**
   * Writes texts inside of quotation marks: what has to be escaped is, by one letter, and nothing
   * else. Control characters that have no such letter are left out.
   *
   * @param texts over characters
   * @return over bytes
   */
  static Automaton escaped(Automaton texts, Budget budget) {
    final Automaton plain = Automatons.determinized(texts, budget);
    final Automaton.Builder written = new Automaton.Builder();
    for (int state = 0; state < plain.getNumStates(); state++) {
      written.createState();
      written.setAccept(state, plain.isAccept(state));
    }
    final Transition transition = new Transition();
    for (int state = 0; state < plain.getNumStates(); state++) {
      int escape = -1;
      final int transitions = plain.initTransition(state, transition);
      for (int i = 0; i < transitions; i++) {
        plain.getNextTransition(transition);
        add(written, state, transition, ' ', '"' - 1);
        add(written, state, transition, '"' + 1, '\\' - 1);
        add(written, state, transition, '\\' + 1, Character.MAX_CODE_POINT);
        escape = addEscape(written, state, escape, transition, '"', '"');
        escape = addEscape(written, state, escape, transition, '\\', '\\');
        for (int c = 0; c < CONTROLS.length(); c++) {
          escape =
              addEscape(written, state, escape, transition, CONTROLS.charAt(c), LETTERS.charAt(c));
        }
      }
    }
    return Automatons.bytes(Operations.removeDeadStates(written.finish()), budget);
  }

  private static void add(
      Automaton.Builder written, int state, Transition transition, int low, int high) {
    final int from = Math.max(low, transition.min);
    final int to = Math.min(high, transition.max);
    if (from <= to) {
      written.addTransition(state, transition.dest, from, to);
    }
  }

  private static int addEscape(
      Automaton.Builder written,
      int state,
      int escape,
      Transition transition,
      char c,
      char letter) {
    if (c < transition.min || c > transition.max) {
      return escape;
    }
    int begun = escape;
    if (begun < 0) {
      begun = written.createState();
      written.addTransition(state, begun, '\\', '\\');
    }
    written.addTransition(begun, transition.dest, letter, letter);
    return begun;
  }
}
