package dev.headway.loadgen.client;

import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a server is spoken to.
 *
 * @param base its address, as in {@code http://127.0.0.1:8000}; a path is kept in front of routes
 * @param headers sent with every request
 * @param apiKey sent as a bearer token, or null
 * @param timeoutSeconds after which a request is given up, above 0
 * @param threads that read and write, at least 1
 */
public record HttpOptions(
    URI base,
    Map<String, String> headers,
    @Nullable String apiKey,
    double timeoutSeconds,
    int threads) {

  /**
   * Checks the address.
   *
   * @throws IllegalArgumentException if it is none, saying what it must be
   */
  public HttpOptions {
    final String scheme = base.getScheme();
    if (base.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
      throw new IllegalArgumentException(
          "the server's address must be like http://127.0.0.1:8000: url=" + base);
    }
    headers = Map.copyOf(headers);
  }

  boolean isSecure() {
    return "https".equals(base.getScheme());
  }

  int port() {
    return base.getPort() >= 0 ? base.getPort() : isSecure() ? 443 : 80;
  }

  /** The path of a route: a base that ends with /v1 is one of a route that begins with it. */
  String pathOf(String route) {
    final String path = base.getRawPath() == null ? "" : base.getRawPath();
    final String prefix = path.replaceFirst("/+$", "").replaceFirst("/v1$", "");
    return prefix + route;
  }
}
