package dev.headway.kvcache;

/**
 * A sequence between its admission and its release, as others remember it: they may have found its
 * blocks and outlive it. One thread.
 */
final class Tenure {

  private final long sequence;
  private long since;

  /**
   * Names a sequence that holds no blocks.
   *
   * @param sequence number that no other sequence of the manager has
   */
  Tenure(long sequence) {
    this.sequence = sequence;
  }

  /** The sequence, for as long as anything remembers it. */
  long sequence() {
    return sequence;
  }

  /** The step that admitted it last: there is one tenure of a sequence at most per step. */
  long since() {
    return since;
  }

  /** Step {@code stepId} admits the sequence. */
  void begin(long stepId) {
    since = stepId;
  }
}
