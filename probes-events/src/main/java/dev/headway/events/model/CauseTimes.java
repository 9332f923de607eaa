package dev.headway.events.model;

import java.util.List;
import java.util.function.ObjLongConsumer;

/** Time per cause. Immutable. */
public final class CauseTimes {

  private final long[] byIndexNs;
  private final List<Cause> causes;

  /** Times by the index of a cause in {@code causes}. */
  CauseTimes(long[] byIndexNs, List<Cause> causes) {
    this.byIndexNs = byIndexNs;
    this.causes = causes;
  }

  /** Passes every cause with time, and the time in ns, in the order of the indexes. */
  public void forEach(ObjLongConsumer<Cause> action) {
    for (int index = 0; index < byIndexNs.length; index++) {
      if (byIndexNs[index] != 0) {
        action.accept(causes.get(index), byIndexNs[index]);
      }
    }
  }

  /** Above every {@link Cause#index()} with time. */
  public int bound() {
    return byIndexNs.length;
  }

  /** Time for the cause of an index. */
  public long ns(int index) {
    return index < byIndexNs.length ? byIndexNs[index] : 0;
  }
}
