package dev.headway.router.proxy;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Which headers go through a proxy (RFC 9110 §7.6.1), and those that a router makes. */
final class HeaderRules {

  static final String REQUEST_ID = "x-request-id";
  static final String TRACE_PARENT = "traceparent";
  static final String ROUTING_KEY = "x-headway-routing-key";
  static final String TARGET_WORKER = "x-headway-target-worker";

  /** The names that SGLang's router has for the two. */
  private static final String SMG_ROUTING_KEY = "x-smg-routing-key";

  private static final String SMG_TARGET_WORKER = "x-smg-target-worker";

  private static final List<CharSequence> HOP_BY_HOP =
      List.of(
          HttpHeaderNames.CONNECTION,
          "keep-alive",
          "proxy-connection",
          HttpHeaderNames.PROXY_AUTHENTICATE,
          HttpHeaderNames.PROXY_AUTHORIZATION,
          HttpHeaderNames.TE,
          HttpHeaderNames.TRAILER,
          HttpHeaderNames.TRANSFER_ENCODING,
          HttpHeaderNames.UPGRADE);

  private HeaderRules() {}

  /** Removes what concerns one connection only. */
  static void removeHopByHop(HttpHeaders headers) {
    for (String value : headers.getAll(HttpHeaderNames.CONNECTION)) {
      for (String name : value.split(",", -1)) {
        if (!name.isBlank()) {
          headers.remove(name.strip());
        }
      }
    }
    HOP_BY_HOP.forEach(headers::remove);
  }

  /** The request's id, made if it has none. */
  static String requestId(HttpHeaders headers) {
    final String id = headers.get(REQUEST_ID);
    return id == null || id.isBlank() ? "req-" + hex(2) : id;
  }

  /** A W3C trace context for a request that has none: a trace of its own, sampled. */
  static String newTraceParent() {
    return "00-" + hex(2) + "-" + hex(1) + "-01";
  }

  static @Nullable String routingKey(HttpHeaders headers) {
    final String key = headers.get(ROUTING_KEY);
    return key == null ? headers.get(SMG_ROUTING_KEY) : key;
  }

  static @Nullable String targetWorker(HttpHeaders headers) {
    final String worker = headers.get(TARGET_WORKER);
    return worker == null ? headers.get(SMG_TARGET_WORKER) : worker;
  }

  private static String hex(int longs) {
    final StringBuilder text = new StringBuilder(16 * longs);
    for (int i = 0; i < longs; i++) {
      text.append(HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
    }
    return text.toString();
  }
}
