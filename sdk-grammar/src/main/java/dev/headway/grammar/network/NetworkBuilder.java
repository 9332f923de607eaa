package dev.headway.grammar.network;

import dev.headway.grammar.network.Network.Links;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.Transition;

/** Collects the states of a {@link Network}. One thread. */
public final class NetworkBuilder {

  private final Budget budget;
  private int states;
  private final GrowingInts edgeFrom = new GrowingInts();
  private final GrowingInts edgeLow = new GrowingInts();
  private final GrowingInts edgeHigh = new GrowingInts();
  private final GrowingInts edgeTo = new GrowingInts();
  private final GrowingInts moveFrom = new GrowingInts();
  private final GrowingInts moveTo = new GrowingInts();
  private final GrowingInts callFrom = new GrowingInts();
  private final GrowingInts callTo = new GrowingInts();
  private final GrowingInts callReturn = new GrowingInts();
  private final GrowingInts ends = new GrowingInts();

  /** Begins a network. */
  public NetworkBuilder(Budget budget) {
    this.budget = budget;
  }

  /** What is left for it. */
  public Budget budget() {
    return budget;
  }

  /** Makes a state. */
  public int state() {
    budget.states(1);
    return states++;
  }

  /** A rule ends at this state. */
  public void end(int state) {
    ends.add(state);
  }

  /** A byte in [low, high] leads from one state to another. */
  public void edge(int from, int low, int high, int to) {
    edgeFrom.add(from);
    edgeLow.add(low);
    edgeHigh.add(high);
    edgeTo.add(to);
  }

  /** Nothing leads from one state to another. */
  public void move(int from, int to) {
    moveFrom.add(from);
    moveTo.add(to);
  }

  /** A text of the rule that begins at {@code rule} leads from one state to another. */
  public void call(int from, int rule, int to) {
    callFrom.add(from);
    callTo.add(rule);
    callReturn.add(to);
  }

  /** A text leads from a state to the one that is returned. */
  public int text(int from, String text) {
    int at = from;
    for (byte value : text.getBytes(StandardCharsets.UTF_8)) {
      final int next = state();
      edge(at, value & 0xff, value & 0xff, next);
      at = next;
    }
    return at;
  }

  /**
   * A text of an automaton leads from one state to another.
   *
   * @param automaton over bytes, without dead states
   */
  public void automaton(int from, Automaton automaton, int to) {
    final int count = automaton.getNumStates();
    budget.states(count);
    final int base = states;
    states += count;
    move(from, base);
    final Transition transition = new Transition();
    for (int state = 0; state < count; state++) {
      if (automaton.isAccept(state)) {
        move(base + state, to);
      }
      final int transitions = automaton.initTransition(state, transition);
      for (int i = 0; i < transitions; i++) {
        automaton.getNextTransition(transition);
        edge(base + state, transition.min, transition.max, base + transition.dest);
      }
    }
  }

  /**
   * Makes the network of what was collected.
   *
   * @param root begins all texts
   * @param isByte which bytes are tokens by themselves; a text that needs another is left out, so
   *     that no token leads to where none goes on
   * @throws dev.headway.grammar.ConstraintException if no text is left, or a rule begins with
   *     itself
   */
  public Network build(int root, boolean[] isByte) {
    withoutOthers(isByte);
    final boolean[] isEnd = new boolean[states];
    for (int i = 0; i < ends.size(); i++) {
      isEnd[ends.get(i)] = true;
    }
    final Network all = network(root, isEnd, all());
    LeftRecursion.refuse(all);
    return network(root, isEnd, new LiveStates(states, budget).of(all));
  }

  private boolean[] all() {
    final boolean[] all = new boolean[states];
    Arrays.fill(all, true);
    return all;
  }

  /** Cuts edges to what is there. */
  private void withoutOthers(boolean[] isByte) {
    final int[] from = edgeFrom.toArray();
    final int[] low = edgeLow.toArray();
    final int[] high = edgeHigh.toArray();
    final int[] to = edgeTo.toArray();
    edgeFrom.clear();
    edgeLow.clear();
    edgeHigh.clear();
    edgeTo.clear();
    for (int i = 0; i < from.length; i++) {
      int begin = low[i];
      while (begin <= high[i]) {
        int end = begin;
        while (end <= high[i] && isByte[end]) {
          end++;
        }
        if (end > begin) {
          edge(from[i], begin, end - 1, to[i]);
        }
        begin = end + 1;
      }
    }
  }

  /** Leaves out what leads to or over states that are not alive. */
  private Network network(int root, boolean[] isEnd, boolean[] alive) {
    final GrowingInts edges = new GrowingInts();
    for (int i = 0; i < edgeFrom.size(); i++) {
      if (alive[edgeFrom.get(i)] && alive[edgeTo.get(i)]) {
        edges.add(i);
      }
    }
    final GrowingInts moves = new GrowingInts();
    for (int i = 0; i < moveFrom.size(); i++) {
      if (alive[moveFrom.get(i)] && alive[moveTo.get(i)]) {
        moves.add(i);
      }
    }
    final GrowingInts calls = new GrowingInts();
    for (int i = 0; i < callFrom.size(); i++) {
      if (alive[callFrom.get(i)] && alive[callTo.get(i)] && alive[callReturn.get(i)]) {
        calls.add(i);
      }
    }
    final int[] edgeFirst = new int[states + 1];
    final int[] edgeOrder = sorted(edges, edgeFrom, edgeFirst);
    final int[] moveFirst = new int[states + 1];
    final int[] moveOrder = sorted(moves, moveFrom, moveFirst);
    final int[] callFirst = new int[states + 1];
    final int[] callOrder = sorted(calls, callFrom, callFirst);
    return new Network(
        root,
        new Links(edgeFirst, picked(edgeOrder, edgeTo)),
        picked(edgeOrder, edgeLow),
        picked(edgeOrder, edgeHigh),
        new Links(moveFirst, picked(moveOrder, moveTo)),
        new Links(callFirst, picked(callOrder, callTo)),
        picked(callOrder, callReturn),
        isEnd);
  }

  private int[] sorted(GrowingInts kept, GrowingInts from, int[] first) {
    final int[] order = Links.order(states, picked(kept.toArray(), from), first);
    for (int i = 0; i < order.length; i++) {
      order[i] = kept.get(order[i]);
    }
    return order;
  }

  private static int[] picked(int[] order, GrowingInts values) {
    final int[] picked = new int[order.length];
    for (int i = 0; i < order.length; i++) {
      picked[i] = values.get(order[i]);
    }
    return picked;
  }
}
