package dev.headway.clients;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/**
 * The server that is soon full with requests of another client, each of which takes seconds; closed
 * it has room again.
 */
public final class Occupied implements AutoCloseable {

  private static final String BODY =
      "{\"model\":\"made-up\",\"prompt\":\"x\",\"max_tokens\":1500,\"ignore_eos\":true,"
          + "\"stream\":true}";

  private final Servers servers;
  private final HttpClient other = HttpClient.newHttpClient();

  private Occupied(Servers servers) {
    this.servers = servers;
  }

  /** Sends so many requests: the first runs, the others wait. */
  public static Occupied by(Servers servers, Way way, int count) {
    final Occupied made = new Occupied(servers);
    final HttpRequest request =
        HttpRequest.newBuilder(URI.create(servers.soonFull(way) + "/completions"))
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer " + Servers.KEY)
            .POST(BodyPublishers.ofString(BODY))
            .build();
    for (int i = 1; i <= count; i++) {
      made.other.sendAsync(request, BodyHandlers.ofInputStream());
      servers.awaitRequests(i);
    }
    return made;
  }

  @Override
  public void close() {
    other.shutdownNow();
    servers.awaitRequests(0);
  }
}
