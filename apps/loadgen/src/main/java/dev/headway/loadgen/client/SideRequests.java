package dev.headway.loadgen.client;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Requests beside the load, such as which models there are. Blocks. Any thread. */
public final class SideRequests implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final HttpOptions options;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(PATIENCE).build();

  /** Speaks to the server of {@code options}. */
  public SideRequests(HttpOptions options) {
    this.options = options;
  }

  /**
   * The first model that the server has.
   *
   * @return its name, or null if the server did not say
   */
  public @Nullable String firstModel() {
    final String body = get("/v1/models");
    if (body == null) {
      return null;
    }
    try {
      final JsonNode name = JsonMapper.shared().readTree(body).path("data").path(0).path("id");
      return name.isString() ? name.stringValue() : null;
    } catch (JacksonException e) {
      return null;
    }
  }

  /**
   * Reads a page.
   *
   * @return its body, or null unless the server answered with 200
   */
  public @Nullable String get(String route) {
    return send(builder(route).GET().build());
  }

  /** Posts nothing; returns whether the server answered with 200. */
  boolean post(String route) {
    return send(builder(route).POST(HttpRequest.BodyPublishers.noBody()).build()) != null;
  }

  private HttpRequest.Builder builder(String route) {
    final URI at = options.base().resolve(options.pathOf(route));
    final HttpRequest.Builder builder = HttpRequest.newBuilder(at).timeout(PATIENCE);
    options.headers().forEach(builder::header);
    if (options.apiKey() != null) {
      builder.header("Authorization", "Bearer " + options.apiKey());
    }
    return builder;
  }

  private @Nullable String send(HttpRequest request) {
    try {
      final HttpResponse<String> answer =
          client.send(request, HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200 ? answer.body() : null;
    } catch (IOException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
