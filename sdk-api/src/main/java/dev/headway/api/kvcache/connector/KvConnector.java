package dev.headway.api.kvcache.connector;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepPlan;

/**
 * The scheduler's side of a source or sink of KV outside the engine: a prefill instance, a shared
 * cache. It says how much of a prompt need not be computed, and is notified of the blocks to fill
 * and of those it may read.
 *
 * <p>The engine thread calls everything here, within its step: nothing may block. What is handed
 * over is valid during the call; requests and blocks change afterwards, so copy what a transfer
 * needs. A request is known by {@link RequestView#number()} from its first {@link #lookup} until
 * {@link #requestFinished}, or until its blocks are reported sent.
 *
 * <p>Transfers end with a report: through the {@link TransferSink} given to {@link #start}, on any
 * thread, or with the output of a step ({@code StepOutput.transfers()}). What is loaded {@linkplain
 * ExternalTokens#inStep within a step} is there when the step is answered, and only what failed is
 * reported, with that output.
 *
 * <p>An exception from {@link #lookup}, {@link #admitted} or {@link #requestFinished} ends that
 * request with {@link FinishReason#KV_LOAD_FAILED}, if it has not ended, and no other.
 *
 * <p>Source: vLLM 0.28, {@code KVConnectorBase_V1}, its scheduler-side methods.
 */
public interface KvConnector extends AutoCloseable {

  /** What it does. Constant. */
  KvRole role();

  /**
   * The engine is built; called once, first.
   *
   * @param sink where transfers that have ended are reported, on any thread
   */
  default void start(TransferSink sink) {}

  /**
   * How many tokens behind the local ones can be got from outside. Called when the request could be
   * admitted, possibly several times before it is; must not start a transfer. Not called for a
   * request that has computed tokens, or a single known one, nor again once a load of it has
   * failed.
   *
   * @param request its known tokens are the prompt and, after a preemption, what it has generated
   * @param localTokens tokens found in the local cache, whole blocks
   * @param answer to be set; none unless it is
   */
  void lookup(RequestView request, int localTokens, ExternalTokens answer);

  /**
   * A request got its blocks: to load into, if {@code externalTokens} > 0, or because it runs from
   * now on. A request loaded between steps is admitted twice, the second time with 0. A load
   * between steps may begin at once: no step that is out writes to these blocks. One within the
   * step must be done before the step computes.
   *
   * @param blocks all blocks of the request, in each group; 0 where its layers do not look. For a
   *     load between steps the last ones, as many as hold {@code externalTokens}, are to be filled
   * @param externalTokens tokens to load, the last of those that need not be computed
   */
  void admitted(RequestView request, KvSequence blocks, int externalTokens);

  /**
   * A step is about to be submitted: the last moment to tell the executor what to load before it,
   * or to save behind it. Called by the engine; an exception fails the step. Not called for steps
   * that are not submitted, which load nothing.
   */
  default void planned(StepPlan plan) {}

  /**
   * A request has ended. Called once for every request, those included that were never admitted.
   *
   * @param blocks its blocks; empty if it has none
   * @param computedTokens leading tokens that are computed, or will be by steps that are out: the
   *     blocks behind them hold nothing. 0 where a step of the request has failed, {@link
   *     FinishReason#EXECUTOR_FAILED}: nothing is sure of what it was to load or compute
   * @return whether its blocks can be used by others at once, as those of a request that has none.
   *     Ignored where a step of the request has failed, and for a request whose load is out: its
   *     blocks stay until that has ended
   */
  BlockRelease requestFinished(
      RequestView request, KvSequence blocks, int computedTokens, FinishReason reason);

  /**
   * A request has ended whose load is out. Called behind {@link #requestFinished}.
   *
   * @return whether nothing will be written to its blocks any more: then they are free, and the
   *     load is not to be reported. Otherwise they stay until it is
   */
  default boolean cancelLoad(RequestView request) {
    return false;
  }

  /** The engine has ended; called once, last. Ends what is still out. */
  @Override
  default void close() {}
}
