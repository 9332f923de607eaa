package dev.headway.http;

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
public final class BrowserRules {

  private static final Pattern ADDRESS = Pattern.compile("\\[[0-9a-f:.]+]|[0-9]+(\\.[0-9]+){3}");
  private static final Pattern PLAIN_TYPE = Pattern.compile("[a-z0-9!#$&^_.+/-]{1,80}");
  private static final Pattern PORT = Pattern.compile(":[0-9]{0,5}$");

  private final boolean isAnyHost;
  private final List<String> hosts;

  /**
   * Makes the rules of a server.
   *
   * @param hosts allowed beside addresses and localhost; empty for any unless {@code address} is
   *     the loopback address
   */
  public BrowserRules(InetAddress address, List<String> hosts) {
    this.isAnyHost = hosts.isEmpty() && !address.isLoopbackAddress();
    this.hosts = hosts.stream().map(host -> host.toLowerCase(Locale.ROOT)).toList();
  }

  /**
   * Checks the name by which a server is called.
   *
   * @param host the {@code Host} of the request, or null for none
   * @throws HttpFailure 403 if it is not this server's
   */
  public void requireHost(@Nullable String host) throws HttpFailure {
    if (!isAnyHost && host != null && !isAllowed(host)) {
      throw new HttpFailure(
          403,
          "host_not_allowed",
          "the Host header must be an address, localhost or a name that --allowed-host gives");
    }
  }

  /**
   * Checks the type of a body where all that is understood is JSON.
   *
   * @param type the {@code Content-Type}, or null for none
   * @param isOfAPage whether there is an {@code Origin}: a page sends it
   * @throws HttpFailure 415 for another type
   */
  public static void requireJson(@Nullable String type, boolean isOfAPage) throws HttpFailure {
    if (type == null ? isOfAPage : !isJson(essence(type))) {
      throw new HttpFailure(
          415, "unsupported_media_type", "Content-Type must be application/json: " + sent(type));
    }
  }

  /**
   * Checks the type of a body that goes on to others, which may take files.
   *
   * @param type the {@code Content-Type}, or null for none
   * @param isOfAPage whether there is an {@code Origin}: a page sends it
   * @throws HttpFailure 415 for a type that a page may send without asking
   */
  public static void requireNoSimpleType(@Nullable String type, boolean isOfAPage)
      throws HttpFailure {
    if (isOfAPage || type == null || !essence(type).equals("multipart/form-data")) {
      requireJson(type, isOfAPage);
    }
  }

  private boolean isAllowed(String written) {
    final String host = PORT.matcher(written.toLowerCase(Locale.ROOT)).replaceFirst("");
    return host.equals("localhost")
        || host.endsWith(".localhost")
        || ADDRESS.matcher(host).matches()
        || hosts.contains(host);
  }

  /** As a message may repeat it, which does not escape it. */
  private static String sent(@Nullable String type) {
    if (type == null) {
      return "none was sent";
    }
    final String essence = essence(type);
    return PLAIN_TYPE.matcher(essence).matches() ? "Content-Type=" + essence : "another was sent";
  }

  private static String essence(String type) {
    return type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
  }

  private static boolean isJson(String essence) {
    return essence.equals("application/json") || essence.endsWith("+json");
  }
}
