package dev.headway.testkit;

import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.support.SimpleRequest;

/**
 * A request for tests: waiting, arrived and queued at 0, unless told otherwise. Not thread-safe.
 */
public final class FakeRequest extends SimpleRequest {

  /** Makes a request, the {@code number}th to arrive. */
  public FakeRequest(long number, Request request) {
    super(request, number, 0, 0);
  }

  /** A request named {@code r<number>} with this prompt and 16 outputs at most. */
  public static FakeRequest of(long number, int... promptTokenIds) {
    return new FakeRequest(
        number, Request.builder("r" + number, promptTokenIds).maxTokens(16).build());
  }

  /** Runs, with so many tokens computed; returns this request. */
  public FakeRequest running(int computedTokens) {
    status(RequestStatus.RUNNING);
    computedTokens(computedTokens);
    return this;
  }

  /** Has generated these tokens; returns this request. */
  public FakeRequest outputs(int... tokenIds) {
    for (int tokenId : tokenIds) {
      append(tokenId);
    }
    return this;
  }

  /** Holds these blocks; returns this request. */
  public FakeRequest blocks(int... blockIds) {
    kv(new FakeSequence(1, blockIds));
    return this;
  }
}
