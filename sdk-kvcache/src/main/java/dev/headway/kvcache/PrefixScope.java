package dev.headway.kvcache;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;

/** Which requests can share prefixes: those with the same adapter and the same salt. */
final class PrefixScope {

  private PrefixScope() {}

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
