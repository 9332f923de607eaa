package dev.headway.grammar.network;

/**
 * States with edges of bytes, moves without a byte, and calls of rules, which go on at a state of
 * their caller when they end. Every state can reach the end of its rule. Immutable; any thread.
 */
public final class Network {

  private static final int BYTES = 256;

  /** Where texts begin. */
  final int root;

  final Links edges;
  final int[] edgeLow;
  final int[] edgeHigh;
  final Links moves;
  final Links calls;
  final int[] callReturn;
  final boolean[] ends;

  /** Bytes that no edge tells apart have the same class. */
  final int[] classOf = new int[BYTES];

  /** A byte of each class. */
  final int[] byteOf;

  Network(
      int root,
      Links edges,
      int[] edgeLow,
      int[] edgeHigh,
      Links moves,
      Links calls,
      int[] callReturn,
      boolean[] ends) {
    this.root = root;
    this.edges = edges;
    this.edgeLow = edgeLow;
    this.edgeHigh = edgeHigh;
    this.moves = moves;
    this.calls = calls;
    this.callReturn = callReturn;
    this.ends = ends;
    this.byteOf = classes();
  }

  private int[] classes() {
    final boolean[] begins = new boolean[BYTES + 1];
    begins[0] = true;
    for (int edge = 0; edge < edgeLow.length; edge++) {
      begins[edgeLow[edge]] = true;
      begins[edgeHigh[edge] + 1] = true;
    }
    final GrowingInts first = new GrowingInts();
    for (int value = 0; value < BYTES; value++) {
      if (begins[value]) {
        first.add(value);
      }
      classOf[value] = first.size() - 1;
    }
    return first.toArray();
  }

  /** How many states there are. */
  public int states() {
    return ends.length;
  }

  /** For each state where it leads to, those of state {@code s} in [first(s), first(s + 1)). */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Links(int[] first, int[] target) {

    /** Sorts links by the state they leave; {@code order[i]} is which link comes at place i. */
    static int[] order(int states, int[] from, int[] first) {
      for (int state : from) {
        first[state + 1]++;
      }
      for (int state = 0; state < states; state++) {
        first[state + 1] += first[state];
      }
      final int[] next = first.clone();
      final int[] order = new int[from.length];
      for (int link = 0; link < from.length; link++) {
        order[next[from[link]]++] = link;
      }
      return order;
    }
  }
}
