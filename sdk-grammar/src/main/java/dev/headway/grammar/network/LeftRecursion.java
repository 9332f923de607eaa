package dev.headway.grammar.network;

import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.ConstraintException.Kind;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Refuses rules that begin with themselves: what follows a text would have stacks without end.
 * Every rule has a text of a byte at least, so that what comes behind a call never begins a rule.
 */
final class LeftRecursion {

  private final Network network;
  private final Map<Integer, BitSet> begunBy = new HashMap<>();

  private LeftRecursion(Network network) {
    this.network = network;
  }

  /**
   * Looks at all rules.
   *
   * @throws ConstraintException if there is one
   */
  static void refuse(Network network) {
    final LeftRecursion search = new LeftRecursion(network);
    final BitSet done = new BitSet();
    for (int rule : network.calls.target()) {
      search.visit(rule, done);
    }
  }

  /** Depth first, with the way in a list of its own: rules may call each other very deep. */
  private void visit(int rule, BitSet done) {
    final ArrayDeque<Integer> way = new ArrayDeque<>();
    final BitSet onWay = new BitSet();
    way.push(rule);
    while (!way.isEmpty()) {
      final int at = way.getFirst();
      if (done.get(at)) {
        way.pop();
        continue;
      }
      onWay.set(at);
      boolean isOpen = false;
      final BitSet begun = begunBy.computeIfAbsent(at, this::begins);
      for (int next = begun.nextSetBit(0); next >= 0; next = begun.nextSetBit(next + 1)) {
        if (onWay.get(next)) {
          throw new ConstraintException(
              Kind.INVALID, "", "a $ref must not lead back to itself without a value in between");
        }
        if (!done.get(next)) {
          way.push(next);
          isOpen = true;
          break;
        }
      }
      if (!isOpen) {
        way.pop();
        onWay.clear(at);
        done.set(at);
      }
    }
  }

  /** The rules that a rule can begin with. */
  private BitSet begins(int rule) {
    final BitSet called = new BitSet();
    final BitSet seen = new BitSet();
    final ArrayDeque<Integer> open = new ArrayDeque<>();
    open.push(rule);
    while (!open.isEmpty()) {
      final int state = open.pop();
      if (seen.get(state)) {
        continue;
      }
      seen.set(state);
      for (int i = network.moves.first()[state]; i < network.moves.first()[state + 1]; i++) {
        open.push(network.moves.target()[i]);
      }
      for (int i = network.calls.first()[state]; i < network.calls.first()[state + 1]; i++) {
        called.set(network.calls.target()[i]);
      }
    }
    return called;
  }
}
