package dev.headway.scheduler.core;

import dev.headway.api.kvcache.KvDependents;
import dev.headway.api.kvcache.KvSequence;
import java.util.ArrayList;
import java.util.List;

/** The sequences that depend on what a failed step was to write. Engine thread only. */
final class FailedDependents implements KvDependents {

  private final List<KvSequence> sequences = new ArrayList<>();

  @Override
  public void add(KvSequence sequence) {
    sequences.add(sequence);
  }

  /** Whether {@code sequence} is among them; few are, and only after failures. */
  boolean contains(KvSequence sequence) {
    for (int i = 0; i < sequences.size(); i++) {
      if (sequences.get(i) == sequence) {
        return true;
      }
    }
    return false;
  }

  void clear() {
    sequences.clear();
  }
}
