package dev.headway.http;

import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the head of a request must be (RFC 9112), beyond what Netty sees to. Stateless. */
public final class RequestRules {

  private static final int MAX_METHOD_CHARS = 16;

  private RequestRules() {}

  /**
   * Checks a head.
   *
   * @throws HttpFailure if it is not as it must be
   */
  public static void require(HttpRequest request) throws HttpFailure {
    requireDecoded(request.decoderResult());
    final boolean isOld = isOld(request);
    if (!isOld && !request.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
      throw new HttpFailure(505, "bad_request", "the version must be HTTP/1.1 or HTTP/1.0");
    }
    if (request.method().name().length() > MAX_METHOD_CHARS) {
      throw new HttpFailure(501, "bad_request", "the method must be one of HTTP");
    }
    if (request.headers().size() > ConnectionLimits.MAX_HEADERS) {
      throw new HttpFailure(
          431,
          "headers_too_large",
          "there must not be more headers than " + ConnectionLimits.MAX_HEADERS);
    }
    requireFraming(request, isOld);
    requireExpectation(request);
  }

  /**
   * Checks what a decoder made of a part of a request.
   *
   * @throws HttpFailure if it could make nothing of it
   */
  public static void requireDecoded(DecoderResult result) throws HttpFailure {
    if (!result.isFailure()) {
      return;
    }
    throw switch (result.cause()) {
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
      default -> malformed();
    };
  }

  /**
   * Checks the length of a body, before it comes.
   *
   * @param announced the {@code Content-Length}, or null for none
   * @throws HttpFailure 413 if it is above {@code most}
   */
  public static void requireLength(@Nullable String announced, int most) throws HttpFailure {
    if (announced != null && (announced.length() > 10 || Long.parseLong(announced) > most)) {
      throw tooLong(most);
    }
  }

  /** A body that is longer than {@code most} bytes. */
  public static HttpFailure tooLong(int most) {
    return new HttpFailure(
        413, "body_too_large", "the body must not be longer than maxBodyBytes=" + most);
  }

  /** A request that is none. */
  public static HttpFailure malformed() {
    return new HttpFailure(400, "bad_request", "the request must be HTTP (RFC 9112)");
  }

  /** Whether it is HTTP/1.0. */
  public static boolean isOld(HttpRequest request) {
    return request.protocolVersion().equals(HttpVersion.HTTP_1_0);
  }

  /** Whether the client waits for a word before it sends the body. */
  public static boolean expectsContinue(HttpRequest request) {
    return !isOld(request) && request.headers().contains(HttpHeaderNames.EXPECT);
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

  private static void requireExpectation(HttpRequest request) throws HttpFailure {
    final String expected = request.headers().get(HttpHeaderNames.EXPECT);
    if (expectsContinue(request) && !"100-continue".equalsIgnoreCase(expected)) {
      throw new HttpFailure(417, "expectation_failed", "Expect must be 100-continue or absent");
    }
  }
}
