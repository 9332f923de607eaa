package dev.headway.api.request;

/**
 * What the outputs of one request must look like, as the state that its outputs so far have led to:
 * a JSON schema, a regular expression, a choice, made for one tokenizer. Opaque to the scheduler,
 * which advances it by every output and asks it what may come next.
 *
 * <p>Engine thread only, once it was handed over; not shared between requests. Nothing here may
 * block. What does not terminate goes on until the request's stop rule ends it.
 */
public interface Grammar {

  /**
   * Advances by a token; not called once terminated.
   *
   * @return false if the grammar does not allow it here: the state is unchanged
   */
  boolean accept(int tokenId);

  /**
   * Takes back the tokens accepted last, those that terminated it included.
   *
   * @param tokens how many, at most as many as were accepted
   */
  void rollback(int tokens);

  /** Whether its text is complete: from there on every token is allowed, and none is accepted. */
  boolean isTerminated();

  /**
   * Says which tokens may come next; not called once terminated. Allocates nothing.
   *
   * @param mask bit {@code t % 32} of {@code mask[offset + t / 32]} is set to whether token {@code
   *     t} is allowed, for every token of the vocabulary; bits behind it are ignored
   */
  void fillMask(int[] mask, int offset);
}
