package dev.headway.api.step;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.PlannedRequest;

/**
 * The work of one step: which requests compute how many tokens.
 *
 * <p>A reusable view over primitive arrays. The engine thread makes it; it is complete and
 * unchanged from the moment an executor or a probe gets it until the step's output was processed,
 * so an executor may read the plan's own numbers from one other thread meanwhile. {@link
 * PlannedRequest}s and {@link KvSequence}s reached through it are live: read them in {@code
 * Executor.submit}. Reading allocates nothing.
 *
 * <p>Entries are in scheduling order: running requests in order of admission, then admissions. An
 * index {@code entry} is in [0, size).
 */
public interface StepPlan {

  /** Number of this step, from 1, gapless; empty steps count. */
  long stepId();

  /** Instant at which scheduling began. */
  long beginNs();

  /**
   * Instant at which scheduling ended. Admissions and preemptions of the step take effect at this
   * instant.
   */
  long endNs();

  /**
   * Nanoseconds that scheduling took on the machine. The same as from {@link #beginNs} to {@link
   * #endNs}, but in virtual time, where none pass: measured there if the clock measures, else 0.
   */
  default long scheduleNs() {
    return endNs() - beginNs();
  }

  /** Number of requests that compute something; 0 for an empty step. */
  int size();

  /** Tokens over all entries. */
  int totalTokens();

  /** The request of an entry. */
  PlannedRequest request(int entry);

  /** Why the request is in the plan. */
  EntryKind kind(int entry);

  /** Tokens to compute, >= 1. */
  int scheduledTokens(int entry);

  /** Tokens computed before this step: the position of the first token to compute. */
  int computedTokens(int entry);

  /**
   * Tokens in front of {@link #computedTokens} whose KV a connector loads into the entry's blocks
   * before anything in the step reads them; 0 without a connector, and for what is loaded between
   * steps.
   */
  default int externalTokens(int entry) {
    return 0;
  }

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

  /** Which tokens its entries may sample; {@link TokenConstraints#NONE} unless a grammar says. */
  default TokenConstraints constraints() {
    return TokenConstraints.NONE;
  }

  /**
   * The step that scheduled the request before this one, 0 if none. An executor that keeps token
   * ids of the step before only needs all of them again when that was another step.
   */
  long previousStepId(int entry);

  /**
   * Draft tokens among the scheduled ones, to be verified; none unless the scheduler speculates.
   */
  default DraftTokens drafts() {
    return DraftTokens.NONE;
  }

  /** Images and the like to encode; none unless the scheduler was given an encoder's limits. */
  default EncoderInputs encoderInputs() {
    return EncoderInputs.NONE;
  }

  /** The block tables of the entries. */
  PlannedBlocks blocks();

  /** What to do to whole blocks before the step computes. */
  BlockOperations blockOperations();

  /** Requests preempted since the plan before, this step's included. */
  EndedRequests preempted();

  /** Requests that ended since the plan before: the executor can drop their state. */
  EndedRequests finished();
}
