package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * Some of the steps of a run.
 *
 * @param rows their numbers, rising; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // of one package, and never compared
record RunRows(RecordedRun run, int[] rows) {

  /** Blocks of time that a kind of steps is cut into. */
  private static final int BLOCKS = 20;

  /** What is fitted of each run, and what tests it. */
  record Split(List<RunRows> fitted, List<RunRows> held) {}

  /**
   * Splits runs by time and kind. The steps of each kind (what they compute, and how many requests
   * they have, to a power of two) are cut into blocks that follow each other, and blocks all over
   * the run are held out: steps next to each other are alike, so that single ones would test
   * nothing, and the end of a run is often nothing but its drain.
   *
   * @param share of the steps to fit, in (0, 1)
   */
  static Split split(List<RecordedRun> runs, double share) {
    final List<RunRows> fitted = new ArrayList<>();
    final List<RunRows> held = new ArrayList<>();
    for (RecordedRun run : runs) {
      final boolean[] isHeld = held(run, share);
      fitted.add(all(run).where(row -> !isHeld[row]));
      held.add(all(run).where(row -> isHeld[row]));
    }
    return new Split(List.copyOf(fitted), List.copyOf(held));
  }

  private static boolean[] held(RecordedRun run, double share) {
    final RunRows all = all(run);
    final int[] blocks = all.blocks();
    final boolean[] isHeld = new boolean[all.size()];
    for (int row = 0; row < isHeld.length; row++) {
      isHeld[row] = isHeld(blocks[row], share);
    }
    return isHeld;
  }

  /** Blocks are held out evenly: of a share of 0.7 three in ten. */
  private static boolean isHeld(int block, double share) {
    final double each = 1 - share;
    return Math.floor((block + 1) * each + 1e-9) > Math.floor(block * each + 1e-9);
  }

  /** The block of time of each row, in [0, 20), among the rows of its kind. */
  int[] blocks() {
    final Map<Integer, List<Integer>> kinds = new TreeMap<>();
    final StepFeatures step = new StepFeatures();
    for (int i = 0; i < rows.length; i++) {
      run.steps().features(rows[i], step);
      kinds.computeIfAbsent(kind(step), none -> new ArrayList<>()).add(i);
    }
    final int[] blocks = new int[rows.length];
    for (List<Integer> alike : kinds.values()) {
      for (int i = 0; i < alike.size(); i++) {
        blocks[alike.get(i)] = (int) ((long) i * BLOCKS / alike.size());
      }
    }
    return blocks;
  }

  /** What a step computes, and its requests to a power of two, as a number. */
  static int kind(StepFeatures step) {
    final int requests = Integer.SIZE - Integer.numberOfLeadingZeros(step.requests());
    final int regime =
        switch (Regime.of(step)) {
          case DECODE -> 0;
          case PREFILL -> 1;
          case MIXED -> 2;
        };
    return Integer.SIZE * 2 * regime + requests;
  }

  static RunRows all(RecordedRun run) {
    final int[] rows = new int[run.steps().size()];
    Arrays.setAll(rows, row -> row);
    return new RunRows(run, rows);
  }

  /** Those of them of which {@code predicate} holds. */
  RunRows where(IntPredicate predicate) {
    return new RunRows(run, Arrays.stream(rows).filter(predicate).toArray());
  }

  int size() {
    return rows.length;
  }

  static int size(List<RunRows> some) {
    return some.stream().mapToInt(RunRows::size).sum();
  }
}
