package dev.headway.grammar.regex;

import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.ConstraintException.Kind;
import dev.headway.grammar.network.Budget;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.automaton.Automata;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.Operations;
import org.apache.lucene.util.automaton.TooComplexToDeterminizeException;
import org.apache.lucene.util.automaton.UTF32ToUTF8;

/** Lucene's operations within a budget. Stateless; any thread. */
public final class Automatons {

  /** In Lucene's own unit; some 5 µs each where there are many states for a text. */
  private static final int LEAST_WORK = 5_000;

  /** Enough where each text leads to a few states. */
  private static final int WORK_PER_STATE = 4;

  private static final long MOST_PRODUCT = 400_000;
  private static final int FIRST_SURROGATE = 0xd800;
  private static final int LAST_SURROGATE = 0xdfff;

  private Automatons() {}

  private static int work(Automaton automaton) {
    return Math.max(LEAST_WORK, WORK_PER_STATE * automaton.getNumStates());
  }

  /** Returns one in which a text leads to one state only, without dead ones. */
  public static Automaton determinized(Automaton automaton, Budget budget) {
    budget.time();
    try {
      return Operations.removeDeadStates(Operations.determinize(automaton, work(automaton)));
    } catch (TooComplexToDeterminizeException e) {
      throw tooComplex();
    }
  }

  /** Turns one over characters into one over the bytes of UTF-8. */
  public static Automaton bytes(Automaton automaton, Budget budget) {
    budget.time();
    return determinized(new UTF32ToUTF8().convert(determinized(automaton, budget)), budget);
  }

  /** Texts of both. */
  public static Automaton both(Automaton one, Automaton other, Budget budget) {
    budget.time();
    final Automaton first = determinized(one, budget);
    final Automaton second = determinized(other, budget);
    if ((long) first.getNumStates() * second.getNumStates() > MOST_PRODUCT) {
      throw tooComplex();
    }
    return Operations.removeDeadStates(Operations.intersection(first, second));
  }

  /** Texts of the first that the second does not have. */
  public static Automaton minus(Automaton one, Automaton other, Budget budget) {
    budget.time();
    try {
      return Operations.removeDeadStates(Operations.minus(one, other, work(other)));
    } catch (TooComplexToDeterminizeException e) {
      throw tooComplex();
    }
  }

  /** One of some texts, over bytes. */
  public static Automaton union(Collection<String> texts, Budget budget) {
    budget.time();
    final TreeSet<BytesRef> sorted = new TreeSet<>();
    for (String text : texts) {
      final BytesRef bytes = new BytesRef(text);
      if (bytes.length > Automata.MAX_STRING_UNION_TERM_LENGTH) {
        return determinized(
            Operations.union(
                texts.stream().map(each -> Automata.makeBinary(new BytesRef(each))).toList()),
            budget);
      }
      sorted.add(bytes);
    }
    return Automata.makeBinaryStringUnion(sorted);
  }

  /** One character of some ranges, halves of surrogate pairs left out. */
  public static Automaton chars(List<int[]> ranges) {
    final Automaton made = new Automaton();
    final int begin = made.createState();
    final int end = made.createState();
    made.setAccept(end, true);
    for (int[] range : ranges) {
      add(made, begin, end, range[0], Math.min(range[1], FIRST_SURROGATE - 1));
      add(made, begin, end, Math.max(range[0], LAST_SURROGATE + 1), range[1]);
    }
    made.finishState();
    return made;
  }

  private static void add(Automaton made, int begin, int end, int low, int high) {
    if (low <= high) {
      made.addTransition(begin, end, low, high);
    }
  }

  /** Any character. */
  public static Automaton anyChar() {
    return chars(List.of(new int[] {0, Character.MAX_CODE_POINT}));
  }

  private static ConstraintException tooComplex() {
    return new ConstraintException(
        Kind.LIMIT, "", "a pattern must be simple: its automaton has too many states");
  }
}
