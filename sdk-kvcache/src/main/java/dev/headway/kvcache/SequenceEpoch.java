package dev.headway.kvcache;

import dev.headway.api.kvcache.KvSequence;
import org.jspecify.annotations.Nullable;

/**
 * A sequence between its admission and its release, as others remember it: they may have found its
 * blocks and outlive it. One thread.
 */
final class SequenceEpoch {

  private final long sequence;
  private @Nullable KvSequence owner;
  private long since;

  /**
   * Names a sequence that holds no blocks.
   *
   * @param sequence number that no other sequence of the manager has
   */
  SequenceEpoch(long sequence) {
    this.sequence = sequence;
  }

  /** The sequence is closed, and may be forgotten while its number is remembered. */
  void close() {
    owner = null;
  }

  /** The sequence, null before it is admitted and once it is closed. */
  @Nullable KvSequence owner() {
    return owner;
  }

  /** The number of the sequence, for as long as anything remembers it. */
  long sequence() {
    return sequence;
  }

  /** The step that admitted it last: there is one epoch of a sequence at most per step. */
  long since() {
    return since;
  }

  /** Step {@code stepId} admits the sequence. */
  void begin(long stepId, KvSequence owner) {
    this.owner = owner;
    since = stepId;
  }
}
