package dev.headway.kvcache.contract;

import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;

/** A request as one without a salt would look. */
record Unsalted(RequestView salted) implements RequestView {

  @Override
  public Request request() {
    final int[] prompt = new int[salted.promptTokens()];
    salted.request().copyPromptTokenIds(0, prompt, 0, prompt.length);
    return Request.builder(salted.id(), prompt).stopRule(salted.request().stopRule()).build();
  }

  @Override
  public long number() {
    return salted.number();
  }

  @Override
  public RequestStatus status() {
    return salted.status();
  }

  @Override
  public long arrivalNs() {
    return salted.arrivalNs();
  }

  @Override
  public long queuedNs() {
    return salted.queuedNs();
  }

  @Override
  public int knownTokens() {
    return salted.knownTokens();
  }

  @Override
  public int computedTokens() {
    return salted.computedTokens();
  }

  @Override
  public int cachedTokens() {
    return salted.cachedTokens();
  }

  @Override
  public int inFlightTokens() {
    return salted.inFlightTokens();
  }

  @Override
  public int kvBlocks() {
    return salted.kvBlocks();
  }

  @Override
  public int sharedPrefixTokens() {
    return salted.sharedPrefixTokens();
  }

  @Override
  public int preemptions() {
    return salted.preemptions();
  }

  @Override
  public int tokenId(int position) {
    return salted.tokenId(position);
  }

  @Override
  public void copyTokenIds(int from, int[] target, int offset, int length) {
    salted.copyTokenIds(from, target, offset, length);
  }
}
