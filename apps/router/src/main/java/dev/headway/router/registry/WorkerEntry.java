package dev.headway.router.registry;

import dev.headway.routing.core.WorkerSpec;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A worker as it is described in a file or in a request.
 *
 * @param id unique among the workers
 * @param url {@code http://HOST:PORT}, without a path
 * @param model the model it serves; null to ask it
 * @param priority how much it should get relative to others, 50 as usual
 * @param cost what its work costs relative to others, 1 as usual
 * @param labels words for people and for dashboards
 * @param kvEvents where it publishes its KV events; null to ask it
 */
public record WorkerEntry(
    String id,
    URI url,
    @Nullable String model,
    int priority,
    double cost,
    Map<String, String> labels,
    @Nullable KvEventSource kvEvents) {

  /** Checks and copies. */
  public WorkerEntry {
    labels = Map.copyOf(labels);
    final String path = url.getPath();
    if (!"http".equals(url.getScheme())
        || url.getHost() == null
        || url.getRawUserInfo() != null
        || url.getRawQuery() != null
        || url.getRawFragment() != null
        || !(path == null || path.isEmpty() || path.equals("/"))) {
      throw new IllegalArgumentException(
          "a worker's address must be http://HOST:PORT without a path: url=" + url);
    }
  }

  /** One of which only the address is known; its id is host and port. */
  public static WorkerEntry of(String url) {
    final URI address;
    try {
      address = URI.create(url.contains("://") ? url : "http://" + url);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "a worker's address must be http://HOST:PORT without a path: url=" + url, e);
    }
    return new WorkerEntry(
        address.getHost() + ":" + port(address),
        address,
        null,
        WorkerSpec.DEFAULT_PRIORITY,
        WorkerSpec.DEFAULT_COST,
        Map.of(),
        null);
  }

  /** The host. */
  public String host() {
    final String host = url.getHost();
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /** The port, 80 if the address has none. */
  public int port() {
    return port(url);
  }

  /** What the header {@code Host} says. */
  public String authority() {
    return url.getRawAuthority();
  }

  private static int port(URI url) {
    return url.getPort() < 0 ? 80 : url.getPort();
  }

  WorkerSpec spec() {
    return new WorkerSpec(id, url.toString(), model, priority, cost);
  }
}
