package dev.headway.kvcache;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;

/** What decides on the names of a request's blocks beside its tokens: adapter, salt, and items. */
final class PrefixScope {

  private PrefixScope() {}

  /** Whether a request has items, or may get some with further input. */
  static boolean canHaveItems(Request request) {
    return !request.items().isEmpty() || request.isResumable();
  }

  /** Returns a text that is equal for two requests if they can share; "" for neither. */
  static String of(Request request) {
    final LoraAdapter lora = request.lora();
    final String salt = request.cacheSalt();
    if (lora == null && salt == null) {
      return "";
    }
    final String adapter = lora == null ? "" : lora.name();
    return adapter.length() + ":" + adapter + (salt == null ? "" : salt); // lengths keep them apart
  }
}
