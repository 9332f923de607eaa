package dev.headway.api.policy;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepFeatures;

/**
 * Scheduling state during the planning of a step. A reused view, valid during the call that passes
 * it; reading allocates nothing.
 */
public interface StepView {

  /** Number of the step. */
  long stepId();

  /** Instant at which planning of the step began. */
  long nowNs();

  /** The scheduler's settings. */
  SchedulerConfig config();

  /** Requests running, those admitted in this step so far included. */
  int runningCount();

  /** Returns running request {@code index} in [0, runningCount), in the order of admission. */
  RequestView running(int index);

  /**
   * Tokens that this step has scheduled for running request {@code index} so far; its computed
   * tokens include them.
   */
  int scheduledTokens(int index);

  /** Requests waiting. */
  int waitingCount();

  /** Tokens left of the step's budget. */
  int tokensLeft();

  /** Tokens per KV block. */
  int blockSize();

  /** KV blocks that can be taken now. */
  int freeBlocks();

  /** KV blocks of the whole cache. */
  int usableBlocks();

  /**
   * Tokens of a waiting request that are in the prefix cache now. Looked up at most once per
   * request and step; costs one hash comparison per cached block. Not for requests that run.
   */
  int cachedPrefixTokens(RequestView waiting);

  /**
   * What the installed {@link StepTimeModel} predicts for a step, in nanoseconds; {@link
   * dev.headway.api.Absent#ABSENT} if there is none or it has no estimate.
   *
   * @param features what the step would compute
   */
  default long estimateNs(StepFeatures features) {
    return ABSENT;
  }
}
