package dev.headway.scheduler.policy.guard;

import java.util.Arrays;

/**
 * Candidates by score, the smallest first, equals by position. A binary heap of positions: making
 * it costs O(candidates), each {@link #next} O(log candidates), as most steps admit only a few.
 * Reused; arrays grow and stay. Engine thread only.
 */
public final class Ranking {

  /** No candidate is left. */
  public static final int NONE = -1;

  private double[] scores = new double[32];
  private int[] heap = new int[32];
  private int size;
  private boolean scored;

  /** Makes an empty ranking. */
  public Ranking() {}

  /** Whether a policy has scored the candidates; otherwise they go by arrival. */
  public boolean isScored() {
    return scored;
  }

  /** The score of a candidate, 0 if they go by arrival. */
  public double score(int candidate) {
    return scores[candidate];
  }

  /** Takes out the next candidate; returns its index or {@link #NONE}. */
  public int next() {
    if (size == 0) {
      return NONE;
    }
    final int first = heap[0];
    heap[0] = heap[--size];
    sink(0);
    return first;
  }

  /** Makes room for scores, each NaN so that one left out is noticed. */
  double[] open(int candidates) {
    if (scores.length < candidates) {
      scores = new double[2 * candidates];
      heap = new int[2 * candidates];
    }
    Arrays.fill(scores, 0, candidates, Double.NaN);
    return scores;
  }

  /** Returns the first candidate without a score, or {@link #NONE}. */
  int unscored(int candidates) {
    for (int index = 0; index < candidates; index++) {
      if (Double.isNaN(scores[index])) {
        return index;
      }
    }
    return NONE;
  }

  void byScore(int candidates) {
    fill(candidates, true);
    for (int index = candidates / 2 - 1; index >= 0; index--) {
      sink(index);
    }
  }

  void byArrival(int candidates) {
    open(candidates);
    Arrays.fill(scores, 0, candidates, 0);
    fill(candidates, false);
  }

  private void fill(int candidates, boolean scored) {
    this.scored = scored;
    size = candidates;
    for (int index = 0; index < candidates; index++) {
      heap[index] = index;
    }
  }

  private void sink(int from) {
    int parent = from;
    while (2 * parent + 1 < size) {
      int child = 2 * parent + 1;
      if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
        child++;
      }
      if (!isBefore(heap[child], heap[parent])) {
        return;
      }
      final int candidate = heap[parent];
      heap[parent] = heap[child];
      heap[child] = candidate;
      parent = child;
    }
  }

  private boolean isBefore(int a, int b) {
    return scores[a] < scores[b] || (scores[a] == scores[b] && a < b);
  }
}
