package dev.headway.examples.prefilldecode;

import dev.headway.api.request.Request;
import java.net.InetSocketAddress;
import java.util.Map;

/** What a request says of its KV, in vLLM's names of {@code kv_transfer_params}. */
final class TransferParams {

  private static final String KEEP = "do_remote_decode";
  private static final String FETCH = "do_remote_prefill";
  private static final String HOST = "remote_host";
  private static final String PORT = "remote_port";
  private static final String REQUEST_ID = "remote_request_id";

  private TransferParams() {}

  /** Of a request whose KV another engine will fetch. */
  static Map<String, String> keep() {
    return Map.of(KEEP, "true");
  }

  /** Of a request whose KV is at another engine. */
  static Map<String, String> fetch(InetSocketAddress from, String requestId) {
    return Map.of(
        FETCH,
        "true",
        HOST,
        from.getHostString(),
        PORT,
        Integer.toString(from.getPort()),
        REQUEST_ID,
        requestId);
  }

  static boolean isToBeKept(Request request) {
    return request.kvTransferParams().containsKey(KEEP);
  }

  static boolean isToBeFetched(Request request) {
    return request.kvTransferParams().containsKey(FETCH);
  }

  /** Where the KV of a request is that is to be fetched. */
  static InetSocketAddress address(Request request) {
    return new InetSocketAddress(value(request, HOST), Integer.parseInt(value(request, PORT)));
  }

  /** The id that the KV of a request has there. */
  static String remoteId(Request request) {
    return value(request, REQUEST_ID);
  }

  private static String value(Request request, String name) {
    final String value = request.kvTransferParams().get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "kvTransferParams must say where the KV is: id="
              + request.id()
              + ", missing="
              + name
              + ", given="
              + request.kvTransferParams().keySet());
    }
    return value;
  }
}
