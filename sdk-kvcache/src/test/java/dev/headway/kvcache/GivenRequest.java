package dev.headway.kvcache;

import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;
import java.util.Arrays;

/**
 * A request of which the cache reads nothing but tokens, salt and reuse; tokens can be appended.
 */
final class GivenRequest implements RequestView {

  private final Request request;
  private int[] tokens;
  private int inFlight;

  GivenRequest(Request request) {
    this.request = request;
    tokens = new int[request.promptTokens()];
    request.copyPromptTokenIds(0, tokens, 0, tokens.length);
  }

  void append(int... more) {
    final int from = tokens.length;
    tokens = Arrays.copyOf(tokens, from + more.length);
    System.arraycopy(more, 0, tokens, from, more.length);
  }

  /** Says how many scheduled tokens have no result yet. */
  void inFlight(int count) {
    inFlight = count;
  }

  @Override
  public Request request() {
    return request;
  }

  @Override
  public int knownTokens() {
    return tokens.length;
  }

  @Override
  public int tokenId(int position) {
    return tokens[position];
  }

  @Override
  public void copyTokenIds(int from, int[] target, int offset, int length) {
    System.arraycopy(tokens, from, target, offset, length);
  }

  @Override
  public long number() {
    throw notForTheCache();
  }

  @Override
  public RequestStatus status() {
    throw notForTheCache();
  }

  @Override
  public long arrivalNs() {
    throw notForTheCache();
  }

  @Override
  public long queuedNs() {
    throw notForTheCache();
  }

  @Override
  public int computedTokens() {
    throw notForTheCache();
  }

  @Override
  public int cachedTokens() {
    throw notForTheCache();
  }

  @Override
  public int kvBlocks() {
    throw notForTheCache();
  }

  @Override
  public int inFlightTokens() {
    return inFlight;
  }

  @Override
  public int sharedPrefixTokens() {
    throw notForTheCache();
  }

  @Override
  public int preemptions() {
    throw notForTheCache();
  }

  private static UnsupportedOperationException notForTheCache() {
    return new UnsupportedOperationException("the KV cache must not ask for this");
  }
}
