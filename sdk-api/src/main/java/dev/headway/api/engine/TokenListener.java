package dev.headway.api.engine;

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
   * A token was generated.
   *
   * @param index position among the outputs, from 0, gapless
   * @param tokenId the token
   */
  default void onToken(int index, int tokenId) {}

  /** The request has ended; called exactly once, last. */
  default void onDone(RequestOutcome outcome) {}
}
