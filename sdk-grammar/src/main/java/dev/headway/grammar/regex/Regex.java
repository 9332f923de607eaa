package dev.headway.grammar.regex;

import dev.headway.grammar.network.Budget;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.util.automaton.Automata;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.Operations;

/** A regular expression, parsed. Immutable. */
public sealed interface Regex {

  /** More than any limit. */
  long HUGE = Integer.MAX_VALUE;

  /** How many states it takes, at most {@link #HUGE}. */
  long states();

  /** Makes an automaton over characters; {@link #states} was looked at before. */
  Automaton made();

  /**
   * Makes an automaton over characters.
   *
   * @throws dev.headway.grammar.ConstraintException if it is too large
   */
  default Automaton automaton(Budget budget) {
    budget.requireStates(states());
    return Automatons.determinized(made(), budget);
  }

  /**
   * One character.
   *
   * @param ranges from and to, both included
   */
  record Chars(List<int[]> ranges) implements Regex {
    @Override
    public long states() {
      return 2;
    }

    @Override
    public Automaton made() {
      return Automatons.chars(ranges);
    }
  }

  /** One after the other. */
  record Sequence(List<Regex> parts) implements Regex {
    @Override
    public long states() {
      return Math.min(HUGE, 1 + parts.stream().mapToLong(Regex::states).sum());
    }

    @Override
    public Automaton made() {
      return parts.isEmpty()
          ? Automata.makeEmptyString()
          : Operations.concatenate(parts.stream().map(Regex::made).toList());
    }
  }

  /** One of some. */
  record Either(List<Regex> parts) implements Regex {
    @Override
    public long states() {
      return Math.min(HUGE, 1 + parts.stream().mapToLong(Regex::states).sum());
    }

    @Override
    public Automaton made() {
      return Operations.union(parts.stream().map(Regex::made).toList());
    }
  }

  /**
   * Several times.
   *
   * @param most -1 for any number
   */
  record Repeat(Regex part, int least, int most) implements Regex {
    @Override
    public long states() {
      return Math.min(HUGE, part.states() * Math.max(1, Math.max(least + 1L, most)));
    }

    @Override
    public Automaton made() {
      final Automaton one = part.made();
      return most < 0 ? Operations.repeat(one, least) : Operations.repeat(one, least, most);
    }
  }

  /** Several with any text before and behind where they are not anchored. */
  static Regex around(boolean atBegin, Regex middle, boolean atEnd) {
    final Regex anything =
        new Repeat(new Chars(List.of(new int[] {0, Character.MAX_CODE_POINT})), 0, -1);
    final List<Regex> parts = new ArrayList<>();
    if (!atBegin) {
      parts.add(anything);
    }
    parts.add(middle);
    if (!atEnd) {
      parts.add(anything);
    }
    return new Sequence(parts);
  }
}
