package dev.headway.api.step;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.RequestView;

/**
 * The work of one step: which requests compute how many tokens.
 *
 * <p>A reusable view over primitive arrays. The engine thread makes it; it is complete and
 * unchanged from the moment an executor or a probe gets it until the step's output was processed,
 * so an executor may read the plan's own numbers from one other thread meanwhile. {@link
 * RequestView}s and {@link KvSequence}s reached through it are live: read them in {@code
 * Executor.submit}. Reading allocates nothing.
 *
 * <p>Entries are in scheduling order: running requests in order of admission, then admissions. An
 * index {@code entry} is in [0, size).
 */
public interface StepPlan {

  /** Placeholder for a draft token known only to the executor. */
  int DRAFT_ON_DEVICE = -1;

  /** Number of this step, from 1, gapless; empty steps count. */
  long stepId();

  /** Instant at which scheduling began. */
  long beginNs();

  /**
   * Instant at which scheduling ended. Admissions and preemptions of the step take effect at this
   * instant.
   */
  long endNs();

  /** Number of requests that compute something; 0 for an empty step. */
  int size();

  /** Tokens over all entries. */
  int totalTokens();

  /** The request of an entry. */
  RequestView request(int entry);

  /** Why the request is in the plan. */
  EntryKind kind(int entry);

  /** Tokens to compute, >= 1. */
  int scheduledTokens(int entry);

  /** Tokens computed before this step: the position of the first token to compute. */
  int computedTokens(int entry);

  /**
   * Whether the entry reaches the last known token, so that the executor must answer a token for
   * it; otherwise it is a prefill chunk and gets none.
   */
  boolean samples(int entry);

  /**
   * Tokens that the step's update appended to the request: what the executor answered, cut at a
   * stop; 0 before the update.
   */
  int producedTokens(int entry);

  /** Whether any entry has draft tokens. */
  default boolean hasDrafts() {
    for (int entry = 0; entry < size(); entry++) {
      if (draftTokens(entry) > 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * Draft tokens among the scheduled ones: the last of them, to be verified. 0 without speculation.
   */
  int draftTokens(int entry);

  /**
   * Returns draft token {@code index} in [0, draftTokens); {@link #DRAFT_ON_DEVICE} if only the
   * executor knows it: it proposed the token itself in a step that was not processed yet, or may
   * choose any token.
   */
  int draftTokenId(int entry, int index);

  /**
   * Outputs the request will have had before this step, those included that are scheduled and not
   * yet processed.
   */
  int outputTokens(int entry);

  /**
   * Whether the entry decodes: of the request's tokens, outputs in flight included, all but the
   * newest are computed, and the newest is an output. The entry computes that one, and the drafts
   * behind it. Every other entry is prefill: prompts, chunks of them, recomputation.
   *
   * <p>The single definition, used by latency models, policies and journals. It does not change
   * with the step's update.
   */
  default boolean isDecode(int entry) {
    final int newest = request(entry).promptTokens() + outputTokens(entry) - 1;
    return outputTokens(entry) > 0 && computedTokens(entry) == newest;
  }

  /**
   * The step that scheduled the request before this one, 0 if none. An executor that keeps token
   * ids of the step before only needs all of them again when that was another step.
   */
  long previousStepId(int entry);

  /** Draft tokens the executor should propose per request for the next step. */
  int nextDraftTokens();

  /** The request's block tables. */
  KvSequence blocks(int entry);

  /** Number of block tables per request: the groups of the cache. */
  int groupCount();

  /**
   * Position in the block table of {@code group} of the first block that the executor has not
   * received yet; equal to the table's size when nothing is new, 0 for a new or resumed request.
   */
  int newBlocksFrom(int entry, int group);

  /** Entries of the block table of {@code group}, as of this step. */
  int blockCount(int entry, int group);

  /**
   * Leading blocks of the first running request in {@code group} that every request with blocks
   * shares; for cascade attention.
   */
  int commonPrefixBlocks(int group);

  /**
   * Blocks to save to host memory, before anything else is done to blocks; 0 without a host tier.
   * No host block is saved to and loaded from in one step, and none is saved to twice.
   */
  default int saveCount() {
    return 0;
  }

  /** The block on the device to save; {@code index} in [0, saveCount). */
  default int saveSource(int index) {
    throw new IndexOutOfBoundsException("index must be in [0, saveCount): index=" + index);
  }

  /** The host block to save to, in [0, hostBlocks). */
  default int saveTarget(int index) {
    throw new IndexOutOfBoundsException("index must be in [0, saveCount): index=" + index);
  }

  /** Blocks to load from host memory, after all saves; 0 without a host tier. */
  default int loadCount() {
    return 0;
  }

  /** The host block to load from, in [0, hostBlocks); {@code index} in [0, loadCount). */
  default int loadSource(int index) {
    throw new IndexOutOfBoundsException("index must be in [0, loadCount): index=" + index);
  }

  /** The block on the device to load to; no two loads of a step have the same. */
  default int loadTarget(int index) {
    throw new IndexOutOfBoundsException("index must be in [0, loadCount): index=" + index);
  }

  /** Blocks to copy before the step runs, in this order. */
  int copyCount();

  /** The block to copy from; {@code index} in [0, copyCount). */
  int copySource(int index);

  /** The block to copy to. */
  int copyTarget(int index);

  /** Blocks to zero before the step runs; 0 unless the cache has recurrent states. */
  int zeroedCount();

  /** A block to zero; {@code index} in [0, zeroedCount). */
  int zeroedBlock(int index);

  /** Requests preempted since the plan before, this step's included. */
  int preemptedCount();

  /** Number of a preempted request; {@code index} in [0, preemptedCount). */
  long preemptedNumber(int index);

  /** Id of a preempted request. */
  String preemptedId(int index);

  /** Requests that ended since the plan before: the executor can drop their state. */
  int finishedCount();

  /** Number of a request that ended; {@code index} in [0, finishedCount). */
  long finishedNumber(int index);

  /** Id of a request that ended. */
  String finishedId(int index);
}
