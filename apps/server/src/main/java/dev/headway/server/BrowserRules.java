package dev.headway.server;

import com.sun.net.httpserver.HttpExchange;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what a page in a browser could make the browser send without asking: requests under a
 * name that the page's owner points at this machine (DNS rebinding), and bodies of the types that
 * need no preflight. Any thread.
 */
final class BrowserRules {

  private static final Pattern ADDRESS = Pattern.compile("\\[[0-9a-f:.]+]|[0-9]+(\\.[0-9]+){3}");
  private static final Pattern PORT = Pattern.compile(":[0-9]{0,5}$");

  private final boolean isAnyHost;
  private final List<String> hosts;

  /**
   * Makes the rules of a server.
   *
   * @param hosts allowed beside addresses and localhost; empty for any unless {@code address} is
   *     the loopback address
   */
  BrowserRules(InetAddress address, List<String> hosts) {
    this.isAnyHost = hosts.isEmpty() && !address.isLoopbackAddress();
    this.hosts = hosts.stream().map(host -> host.toLowerCase(Locale.ROOT)).toList();
  }

  /**
   * Checks a request before anything is read of it.
   *
   * @throws ApiException 403 for a name that is not this server's, 415 for another type than JSON
   */
  void require(HttpExchange exchange) {
    final String host = exchange.getRequestHeaders().getFirst("Host");
    if (!isAnyHost && host != null && !isAllowed(host)) {
      throw ApiException.of(
          403,
          "host_not_allowed",
          "the Host header must be an address, localhost or a name that --allowed-host gives");
    }
    if (exchange.getRequestMethod().equals("POST")) {
      final String type = exchange.getRequestHeaders().getFirst("Content-Type");
      final boolean isOfAPage = exchange.getRequestHeaders().containsKey("Origin");
      if (type == null ? isOfAPage : !isJson(type)) {
        throw ApiException.of(
            415, "unsupported_media_type", "Content-Type must be application/json");
      }
    }
  }

  private boolean isAllowed(String written) {
    final String host = PORT.matcher(written.toLowerCase(Locale.ROOT)).replaceFirst("");
    return host.equals("localhost")
        || host.endsWith(".localhost")
        || ADDRESS.matcher(host).matches()
        || hosts.contains(host);
  }

  private static boolean isJson(@Nullable String type) {
    if (type == null) {
      return false;
    }
    final String essence = type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return essence.equals("application/json") || essence.endsWith("+json");
  }
}
