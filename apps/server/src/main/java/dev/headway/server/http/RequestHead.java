package dev.headway.server.http;

import com.sun.net.httpserver.Headers;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
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

  private static final int MAX_METHOD_CHARS = 16;

  /**
   * Checks a head.
   *
   * @throws HttpFailure if it is not as it must be
   */
  static RequestHead of(HttpRequest request) throws HttpFailure {
    if (request.decoderResult().isFailure()) {
      throw failure(request.decoderResult().cause());
    }
    final boolean isOld = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
    if (!isOld && !request.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
      throw new HttpFailure(505, "bad_request", "the version must be HTTP/1.1 or HTTP/1.0");
    }
    if (request.method().name().length() > MAX_METHOD_CHARS) {
      throw new HttpFailure(501, "bad_request", "the method must be one of HTTP");
    }
    requireFraming(request, isOld);
    return new RequestHead(
        request.method().name(),
        uri(request.uri()),
        headers(request),
        HttpUtil.isKeepAlive(request),
        isOld,
        expectsContinue(request, isOld));
  }

  /** What a decoder's failure is, to a client. */
  static HttpFailure failure(Throwable cause) {
    return switch (cause) {
      case TooLongHttpLineException _ ->
          new HttpFailure(
              414,
              "uri_too_long",
              "the request line must not be longer than bytes=" + ConnectionLimits.MAX_LINE_BYTES);
      case TooLongHttpHeaderException _ ->
          new HttpFailure(
              431,
              "headers_too_large",
              "the headers must not be longer than bytes=" + ConnectionLimits.MAX_HEAD_BYTES);
      case DecoderException _, IllegalArgumentException _ -> malformed();
      default -> malformed();
    };
  }

  private static HttpFailure malformed() {
    return new HttpFailure(400, "bad_request", "the request must be HTTP (RFC 9112)");
  }

  private static void requireFraming(HttpRequest request, boolean isOld) throws HttpFailure {
    final List<String> encodings = request.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
    if (!encodings.isEmpty()
        && (isOld || encodings.size() > 1 || !encodings.getFirst().equalsIgnoreCase("chunked"))) {
      throw new HttpFailure(
          501, "not_implemented", "Transfer-Encoding must be chunked, of HTTP/1.1, or absent");
    }
    for (String length : request.headers().getAll(HttpHeaderNames.CONTENT_LENGTH)) {
      if (length.isEmpty() || !length.chars().allMatch(c -> c >= '0' && c <= '9')) {
        throw new HttpFailure(400, "bad_request", "Content-Length must be digits");
      }
    }
    final int hosts = request.headers().getAll(HttpHeaderNames.HOST).size();
    if (hosts > 1 || (hosts == 0 && !isOld)) {
      throw new HttpFailure(400, "bad_request", "there must be one Host header");
    }
  }

  private static boolean expectsContinue(HttpRequest request, boolean isOld) throws HttpFailure {
    final String expected = request.headers().get(HttpHeaderNames.EXPECT);
    if (expected == null || isOld) {
      return false;
    }
    if (!expected.equalsIgnoreCase("100-continue")) {
      throw new HttpFailure(417, "expectation_failed", "Expect must be 100-continue or absent");
    }
    return true;
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
    if (request.headers().size() > ConnectionLimits.MAX_HEADERS) {
      throw new HttpFailure(
          431,
          "headers_too_large",
          "there must not be more headers than " + ConnectionLimits.MAX_HEADERS);
    }
    final Headers headers = new Headers();
    try {
      for (Map.Entry<String, String> header : request.headers()) {
        headers.add(header.getKey(), header.getValue());
      }
    } catch (IllegalArgumentException e) {
      throw malformed();
    }
    return headers;
  }
}
