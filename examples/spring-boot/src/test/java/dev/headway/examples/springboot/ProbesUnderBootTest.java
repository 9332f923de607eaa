package dev.headway.examples.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.Engine;
import dev.headway.api.request.Request;
import dev.headway.scheduler.engine.HeadwayEngine;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Probes by name, with the libraries in the versions that Boot manages. */
class ProbesUnderBootTest {

  @TempDir Path directory;

  @Test
  void shouldWriteCsvFiles() throws Exception {
    // given
    Path csv = directory.resolve("csv");

    // when
    try (Engine engine =
        HeadwayEngine.builder(new AlphabetExecutor())
            .probe("csv", Map.of("dir", csv.toString(), "place", "dir"))
            .build()) {
      engine.start(Thread.ofPlatform().factory());
      engine.submit(Request.builder("one", 1, 2, 3).maxTokens(2).build()).await();
    }

    // then
    assertThat(Files.readString(csv.resolve("per_request.csv"))).contains("one");
  }

  @Test
  void shouldServeItsOwnPrometheusPage() throws Exception {
    assertThat(get("prometheus", "/metrics")).contains("# TYPE");
  }

  @Test
  void shouldServeTheDashboard() throws Exception {
    assertThat(get("dashboard", "/")).contains("<title>");
  }

  private static String get(String probe, String path) throws Exception {
    int port = freePort(); // both examples are tested at a time
    try (Engine engine =
        HeadwayEngine.builder(new AlphabetExecutor())
            .probe(probe, Map.of("port", String.valueOf(port)))
            .build()) {
      engine.start(Thread.ofPlatform().factory());
      engine.submit(Request.builder("one", 1, 2, 3).maxTokens(2).build()).await();
      return HttpClient.newHttpClient()
          .send(
              HttpRequest.newBuilder(URI.create("http://localhost:" + port + path)).build(),
              BodyHandlers.ofString())
          .body();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
