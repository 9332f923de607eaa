package dev.headway.report.explain;

/** How a policy ranked a request in the steps that passed it over. */
final class Ranks {

  /**
   * One ranking.
   *
   * @param rank from 1, the smallest score
   * @param of candidates ranked
   * @param leader the candidate with the smallest score
   * @param leaderScore its score
   */
  record Rank(
      long stepId, int rank, int of, double score, RequestName leader, double leaderScore) {}

  private final Rank first;
  private Rank last;
  private Rank best;
  private int steps;

  Ranks(Rank only) {
    first = only;
    last = only;
    best = only;
    steps = 1;
  }

  void add(Rank rank) {
    last = rank;
    best = rank.rank < best.rank ? rank : best;
    steps++;
  }

  /** Steps that ranked it and passed it over. */
  int steps() {
    return steps;
  }

  Rank first() {
    return first;
  }

  Rank last() {
    return last;
  }
}
