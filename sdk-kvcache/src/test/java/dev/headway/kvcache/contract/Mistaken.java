package dev.headway.kvcache.contract;

import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.RequestView;

/** A request as a manager sees it that takes it for {@code request}. */
record Mistaken(RequestView view, Request request, int unknownTokens) implements RequestView {

  /** Without its salt, or without its adapter, or as one that shares prefixes. */
  static RequestView of(RequestView view, boolean salted, boolean adapted, boolean skips) {
    final Request sound = view.request();
    final Request.Builder builder = sameText(view).items(sound.items());
    if (salted && sound.cacheSalt() != null) {
      builder.cacheSalt(sound.cacheSalt());
    }
    if (adapted && sound.lora() != null) {
      builder.lora(sound.lora());
    }
    if (skips) {
      builder.prefixReuse(sound.prefixReuse());
    }
    return new Mistaken(view, builder.build(), 0);
  }

  /** Without its items. */
  static RequestView withoutItems(RequestView view) {
    final Request sound = view.request();
    final Request.Builder builder = sameText(view).prefixReuse(sound.prefixReuse());
    if (sound.cacheSalt() != null) {
      builder.cacheSalt(sound.cacheSalt());
    }
    if (sound.lora() != null) {
      builder.lora(sound.lora());
    }
    return new Mistaken(view, builder.build(), 0);
  }

  private static Request.Builder sameText(RequestView view) {
    final Request sound = view.request();
    final int[] prompt = new int[sound.promptTokens()];
    sound.copyPromptTokenIds(0, prompt, 0, prompt.length);
    return Request.builder(view.id(), prompt).stopRule(sound.stopRule());
  }

  /** With zeros behind its tokens, as if they were known. */
  static RequestView withDrafts(RequestView view, int count) {
    return new Mistaken(view, view.request(), count);
  }

  @Override
  public long number() {
    return view.number();
  }

  @Override
  public RequestStatus status() {
    return view.status();
  }

  @Override
  public long arrivalNs() {
    return view.arrivalNs();
  }

  @Override
  public long queuedNs() {
    return view.queuedNs();
  }

  @Override
  public int knownTokens() {
    return view.knownTokens() + unknownTokens;
  }

  @Override
  public int computedTokens() {
    return view.computedTokens();
  }

  @Override
  public int cachedTokens() {
    return view.cachedTokens();
  }

  @Override
  public int inFlightTokens() {
    return view.inFlightTokens();
  }

  @Override
  public int kvBlocks() {
    return view.kvBlocks();
  }

  @Override
  public int sharedPrefixTokens() {
    return view.sharedPrefixTokens();
  }

  @Override
  public int preemptions() {
    return view.preemptions();
  }

  @Override
  public int tokenId(int position) {
    return position < view.knownTokens() ? view.tokenId(position) : 0;
  }

  @Override
  public void copyTokenIds(int from, int[] target, int offset, int length) {
    for (int i = 0; i < length; i++) {
      target[offset + i] = tokenId(from + i);
    }
  }
}
