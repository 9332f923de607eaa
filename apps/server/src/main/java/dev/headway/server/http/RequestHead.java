package dev.headway.server.http;

import com.sun.net.httpserver.Headers;
import dev.headway.http.HttpFailure;
import dev.headway.http.RequestRules;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;

/**
 * The head of a request, checked.
 *
 * @param isOld whether it is HTTP/1.0
 * @param expectsContinue whether the client waits for a word before it sends the body
 */
record RequestHead(
    String method,
    URI uri,
    Headers headers,
    boolean keepsAlive,
    boolean isOld,
    boolean expectsContinue) {

  /**
   * Checks a head.
   *
   * @throws HttpFailure if it is not as it must be
   */
  static RequestHead of(HttpRequest request) throws HttpFailure {
    RequestRules.require(request);
    return new RequestHead(
        request.method().name(),
        uri(request.uri()),
        headers(request),
        HttpUtil.isKeepAlive(request),
        RequestRules.isOld(request),
        RequestRules.expectsContinue(request));
  }

  private static URI uri(String written) throws HttpFailure {
    try {
      final URI uri = new URI(written);
      if (uri.getPath() != null) {
        return uri;
      }
    } catch (URISyntaxException e) {
      throw new HttpFailure(400, "bad_request", "the request must name a path");
    }
    throw new HttpFailure(400, "bad_request", "the request must name a path");
  }

  private static Headers headers(HttpRequest request) throws HttpFailure {
    final Headers headers = new Headers();
    try {
      for (Map.Entry<String, String> header : request.headers()) {
        headers.add(header.getKey(), header.getValue());
      }
    } catch (IllegalArgumentException e) {
      throw RequestRules.malformed();
    }
    return headers;
  }
}
