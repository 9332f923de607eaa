package dev.headway.events.record;

/** A planned step; a reused view, valid during the call. */
public interface PlannedStep {
  /** Number of the step, from 1, gapless. */
  long stepId();

  /** Instant at which scheduling began. */
  long beginNs();

  /** Instant at which scheduling ended. */
  long endNs();

  /** Requests that compute something. */
  int batchSize();

  /** Tokens over all of them. */
  int totalTokens();

  /** Requests that do not decode. */
  int prefillRequests();

  /** Tokens of those. */
  int prefillTokens();

  /** Requests running after the decision. */
  int runningCount();

  /** Requests waiting after the decision, preempted ones included. */
  int waitingCount();

  /** Requests waiting because they were preempted. */
  int preemptedWaitingCount();

  /** KV blocks free after the decision. */
  int freeBlocks();

  /** Images and other items that the step encodes; 0 in a journal of before schema 2.3. */
  default int encodedItems() {
    return 0;
  }

  /** Their embeddings; 0 as above. */
  default int encodedEmbeddings() {
    return 0;
  }

  /** Whether entries were recorded; not at level summary. */
  boolean hasEntries();

  /** Whether the request of each entry is known; the other figures of entries may not be. */
  default boolean hasNumbers() {
    return hasEntries();
  }

  /** Request number of an entry in [0, batchSize). */
  long number(int entry);

  /** Tokens to compute. */
  int scheduledTokens(int entry);

  /** Tokens computed before. */
  int computedTokens(int entry);

  /** Whether a token is sampled. */
  boolean samples(int entry);

  /**
   * Whether the entry decodes: its request has outputs, and it computes only the newest known token
   * and drafts. Journals before schema 2 do not say for each entry.
   *
   * @return one of {@link EntryPhase}
   */
  EntryPhase phase(int entry);

  /** KV blocks the request holds. */
  int blockCount(int entry);

  /** Those of them that are new in this step. */
  int newBlocks(int entry);
}
