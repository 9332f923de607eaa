package dev.headway.api.engine;

import dev.headway.api.step.TokenLogprobs;

/**
 * Hears what one request produces.
 *
 * <p>Called on the engine thread, between steps of the model: must not block. Hand over to a thread
 * of your own for anything slow. A listener that throws ends its own request with {@code
 * LISTENER_FAILED}; no other request notices. It may submit and cancel.
 */
public interface TokenListener {

  /** Hears nothing. */
  TokenListener NONE = new TokenListener() {};

  /**
   * How probable the next token was; called just before its {@link #onToken}, only for a request
   * whose {@code SamplingParams.logprobs} asks for it and only if the executor says.
   *
   * @param index position among the outputs, from 0
   * @param tokenId the token
   * @param logprobs may be kept
   */
  default void onLogprobs(int index, int tokenId, TokenLogprobs logprobs) {}

  /**
   * A token was generated.
   *
   * @param index position among the outputs, from 0, gapless
   * @param tokenId the token
   */
  default void onToken(int index, int tokenId) {}

  /** The request has ended; called exactly once, last. */
  default void onDone(RequestOutcome outcome) {}
}
