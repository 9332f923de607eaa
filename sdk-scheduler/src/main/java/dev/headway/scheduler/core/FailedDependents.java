package dev.headway.scheduler.core;

import dev.headway.api.kvcache.KvDependents;
import dev.headway.api.kvcache.KvSequence;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** The sequences that depend on what a failed step was to write. Engine thread only. */
final class FailedDependents implements KvDependents {

  private final Set<KvSequence> sequences = Collections.newSetFromMap(new IdentityHashMap<>());

  @Override
  public void add(KvSequence sequence) {
    sequences.add(sequence);
  }

  boolean contains(KvSequence sequence) {
    return sequences.contains(sequence);
  }

  void clear() {
    sequences.clear();
  }
}
