package dev.headway.kvcache;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import java.util.Optional;

/** Which requests can share prefixes: those with the same adapter and the same salt. */
final class PrefixScope {

  private PrefixScope() {}

  /** Returns a text that is equal for two requests if they can share; "" for neither. */
  static String of(Request request) {
    final Optional<LoraAdapter> lora = request.lora();
    final String salt = request.cacheSalt().orElse("");
    if (lora.isEmpty() && salt.isEmpty()) {
      return "";
    }
    final String adapter = lora.map(LoraAdapter::name).orElse("");
    return adapter.length() + ":" + adapter + salt; // the length keeps the two apart
  }
}
