package dev.headway.api.engine;

import dev.headway.api.step.TokenLogprobs;

/**
 * Receives the output of one request.
 *
 * <p>Called on the engine thread, between steps of the model: must not block. Move slow work to
 * another thread. A listener that throws ends its own request with {@code LISTENER_FAILED}; other
 * requests are unaffected. It may submit and cancel.
 */
public interface TokenListener {

  /** Ignores all notifications. */
  TokenListener NONE = new TokenListener() {};

  /**
   * Log-probabilities of the next token; called just before its {@link #onToken}, only if the
   * request's {@code SamplingParams.logprobs} asks for them and the executor reports them.
   *
   * @param index position among the outputs, from 0
   * @param tokenId the token
   * @param logprobs may be kept
   */
  default void onLogprobs(int index, int tokenId, TokenLogprobs logprobs) {}

  /**
   * A token was generated.
   *
   * @param index position among the outputs, from 0, gapless; of a session, among those of the turn
   * @param tokenId the token
   */
  default void onToken(int index, int tokenId) {}

  /**
   * A turn of a session has ended, and the session goes on, or waits for input: see {@link
   * RequestHandle#append}. Its last turn ends with {@link #onDone} alone, unless it waited.
   */
  default void onTurnEnd(TurnOutcome turn) {}

  /** The request has ended; called exactly once, last. */
  default void onDone(RequestOutcome outcome) {}
}
