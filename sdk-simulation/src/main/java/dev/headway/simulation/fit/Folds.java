package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Parts of the steps of runs, each to be predicted from the others. Not to be changed.
 *
 * @param of the part of each row, from 0, in the order of the runs and their rows; -1 for one that
 *     is in no part
 * @param count of the parts
 */
@SuppressWarnings("ArrayRecordComponent") // of one package, and never compared
record Folds(int[] of, int count) {

  private static final int TIMES = 5;

  /** Blocks of time, in which each part has its share of every kind of step. */
  static Folds ofTimes(List<RunRows> rows) {
    final int[] of =
        rows.stream()
            .flatMapToInt(some -> Arrays.stream(some.blocks()))
            .map(block -> block % TIMES)
            .toArray();
    return new Folds(of, TIMES);
  }

  /**
   * Other loads: with several runs each of them; with one the third of the steps with the fewest
   * requests, and that with the most, as a load that is lower or higher would have them.
   */
  static Folds ofLoads(List<RunRows> rows) {
    return rows.size() > 1 ? ofRuns(rows) : ofRequests(rows.getFirst());
  }

  private static Folds ofRuns(List<RunRows> rows) {
    final int[] of = new int[RunRows.size(rows)];
    int at = 0;
    for (int run = 0; run < rows.size(); run++) {
      Arrays.fill(of, at, at + rows.get(run).size(), run);
      at += rows.get(run).size();
    }
    return new Folds(of, rows.size());
  }

  private static Folds ofRequests(RunRows rows) {
    final int[] requests = new int[rows.size()];
    final StepFeatures step = new StepFeatures();
    for (int i = 0; i < requests.length; i++) {
      rows.run().steps().features(rows.rows()[i], step);
      requests[i] = step.requests();
    }
    final int[] sorted = requests.clone();
    Arrays.sort(sorted);
    final int fewest = sorted[sorted.length / 3];
    final int most = sorted[2 * sorted.length / 3];
    final boolean isOne = fewest == most;
    final int[] of = new int[requests.length];
    Arrays.setAll(
        of,
        i ->
            requests[i] < fewest || (!isOne && requests[i] == fewest)
                ? 0
                : requests[i] > most || (!isOne && requests[i] == most) ? 1 : -1);
    return new Folds(of, 2);
  }

  /** The rows that are not, or only those that are, in a part. */
  List<RunRows> rows(List<RunRows> all, int fold, boolean isIn) {
    final List<RunRows> result = new ArrayList<>();
    int at = 0;
    for (RunRows some : all) {
      final int begin = at;
      final int[] rows = some.rows();
      final int[] kept =
          IntStream.range(0, rows.length)
              .filter(i -> (of[begin + i] == fold) == isIn)
              .map(i -> rows[i])
              .toArray();
      at += rows.length;
      if (kept.length > 0) {
        result.add(new RunRows(some.run(), kept));
      }
    }
    return result;
  }
}
