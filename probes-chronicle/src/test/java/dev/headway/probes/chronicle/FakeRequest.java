package dev.headway.probes.chronicle;

import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;

/** A request view whose numbers a test sets. */
final class FakeRequest implements RequestView {

  private final Request request;
  private final long number;
  int knownTokens;

  FakeRequest(long number, Request request) {
    this.number = number;
    this.request = request;
    this.knownTokens = request.promptTokens();
  }

  static FakeRequest of(long number, String id, int promptTokens) {
    return new FakeRequest(
        number, Request.builder(id, new int[promptTokens]).maxTokens(100).build());
  }

  /** Has generated so many tokens. */
  FakeRequest outputs(int tokens) {
    knownTokens = request.promptTokens() + tokens;
    return this;
  }

  @Override
  public Request request() {
    return request;
  }

  @Override
  public long number() {
    return number;
  }

  @Override
  public RequestStatus status() {
    return RequestStatus.RUNNING;
  }

  @Override
  public long arrivalNs() {
    return 1_000 + number;
  }

  @Override
  public long queuedNs() {
    return 2_000 + number;
  }

  @Override
  public int knownTokens() {
    return knownTokens;
  }

  @Override
  public int computedTokens() {
    return 0;
  }

  @Override
  public int hostCachedTokens() {
    return 1;
  }

  @Override
  public int cachedTokens() {
    return 0;
  }

  @Override
  public int kvBlocks() {
    return 0;
  }

  @Override
  public int inFlightTokens() {
    return 0;
  }

  @Override
  public int sharedPrefixTokens() {
    return 0;
  }

  @Override
  public int preemptions() {
    return 0;
  }

  @Override
  public int tokenId(int position) {
    return 0;
  }

  @Override
  public void copyTokenIds(int from, int[] target, int offset, int length) {}
}
