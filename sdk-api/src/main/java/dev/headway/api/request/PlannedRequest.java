package dev.headway.api.request;

import org.jspecify.annotations.Nullable;

/**
 * What a plan shows of a request: what was asked for, and the known tokens. How far it is computed,
 * and how many outputs it will have had, is a matter of the step: the plan has those figures.
 *
 * <p>Engine thread only, and only during the call that passes it: the known tokens grow with every
 * step. Copy what is needed later. Reading allocates nothing.
 */
public interface PlannedRequest {

  /** The request as submitted. */
  Request request();

  /** The caller's name for it; the same as {@code request().id()}. */
  default String id() {
    return request().id();
  }

  /** Position in the order of arrival at this engine, from 0; never reused. */
  long number();

  /** The tenant that the request is accounted to; null if none was given. */
  default @Nullable String tenant() {
    return request().tenant();
  }

  /** Smaller is more important. */
  default int priority() {
    return request().priority();
  }

  /** Prompt tokens, >= 1. */
  default int promptTokens() {
    return request().promptTokens();
  }

  /** Tokens generated so far. */
  default int outputTokens() {
    return knownTokens() - promptTokens();
  }

  /** Prompt and output tokens. */
  int knownTokens();

  /** Returns the known token at {@code position} in [0, knownTokens). */
  int tokenId(int position);

  /**
   * Copies known tokens.
   *
   * @param from first position, in [0, knownTokens)
   * @param target receives {@code length} ids from {@code offset} on
   */
  void copyTokenIds(int from, int[] target, int offset, int length);
}
