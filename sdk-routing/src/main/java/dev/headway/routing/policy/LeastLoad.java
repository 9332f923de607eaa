package dev.headway.routing.policy;

import java.util.Comparator;

/**
 * The order of workers by load: effective load, then requests ever dispatched, then index. Without
 * the second, workers of equal load would always be chosen from the first one on.
 */
public final class LeastLoad {

  /** The least first. */
  public static final Comparator<Worker> ORDER =
      Comparator.comparingDouble(Worker::effectiveLoad)
          .thenComparingLong(Worker::dispatched)
          .thenComparingInt(Worker::index);

  private LeastLoad() {}

  /** The worker of least load. */
  public static Worker of(WorkerSet candidates) {
    Worker least = candidates.get(0);
    for (int i = 1; i < candidates.size(); i++) {
      if (ORDER.compare(candidates.get(i), least) < 0) {
        least = candidates.get(i);
      }
    }
    return least;
  }
}
