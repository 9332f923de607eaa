package dev.headway.probes.otel.metric;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** A client of a server on the loopback address. */
final class Http implements AutoCloseable {

  private final HttpClient client = HttpClient.newHttpClient();
  private final int port;

  Http(int port) {
    this.port = port;
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send("GET", path);
  }

  HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build(),
        HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    client.close();
  }
}
