package dev.headway.probes.dashboard.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.probe.Probe;
import dev.headway.events.live.LiveOptions;
import dev.headway.probes.dashboard.BusyEngine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DashboardServerTest {

  private final HttpClient client = HttpClient.newHttpClient();
  private final DashboardPages pages = new DashboardPages();
  private DashboardServer server;

  @BeforeEach
  void open() throws IOException {
    server =
        DashboardServer.open(pages, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @AfterEach
  void close() {
    server.close();
    client.close();
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.address().getPort() + path);
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void shouldServeAPageThatLoadsNothingFromElsewhere() throws Exception {
    final HttpResponse<String> answer = get("/");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow())
        .contains("default-src 'none'", "connect-src 'self'");
    assertThat(answer.body()).contains("<title>Headway</title>").doesNotContain("http:", "https:");
  }

  @Test
  void shouldHaveTheColorsOfTheTableOfReasons() throws Exception {
    assertThat(get("/").body())
        .contains("const COLORS = {initial_waiting: '#f0e442', max_num_seqs: '#009e73', ")
        .doesNotContain("draft_padding: "); // it has the colour of the rest
  }

  @Test
  void shouldShowTheEndOfARun() throws Exception {
    final Probe probe = Dashboard.probe(LiveOptions.DEFAULT, pages, () -> {});
    BusyEngine.run(probe);

    final JsonNode shown = new JsonMapper().readTree(get("/dashboard/snapshot").body());

    assertThat(shown.get("attributes").get("model").asString()).isEqualTo("toy");
    assertThat(shown.get("totals").get("finished").asInt()).isEqualTo(BusyEngine.REQUESTS);
    assertThat(shown.get("running").asInt()).isZero();
    assertThat(shown.get("slow").get(0).get("explanation").get(0).asString())
        .contains(" waiting behind a request ahead, which waited for full_sequence_reserve");
    assertThat(shown.get("slow").get(0).get("main_reason").asString()).isNotEmpty();
  }

  @Test
  void shouldStreamSnapshotsAndEndWithTheEngine() throws Exception {
    final HttpResponse<InputStream> stream =
        client.send(
            HttpRequest.newBuilder(uri("/dashboard/events")).build(),
            HttpResponse.BodyHandlers.ofInputStream());
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
      BusyEngine.run(Dashboard.probe(LiveOptions.DEFAULT, pages, pages));

      String last = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        last = line.startsWith("data: ") ? line.substring(6) : last;
      }

      assertThat(stream.headers().firstValue("Content-Type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith("text/event-stream"));
      assertThat(new JsonMapper().readTree(last).get("totals").get("queued").asInt()).isPositive();
    }
  }

  @Test
  void shouldRefuseMoreStreamsThanItCanBear() throws Exception {
    final List<InputStream> open = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      open.add(
          client
              .send(
                  HttpRequest.newBuilder(uri("/dashboard/events")).build(),
                  HttpResponse.BodyHandlers.ofInputStream())
              .body());
    }

    assertThat(get("/dashboard/events").statusCode()).isEqualTo(503);

    pages.close();
    for (InputStream stream : open) {
      stream.close();
    }
  }

  @Test
  void shouldRefuseWhatItDoesNotServe() throws Exception {
    assertThat(get("/other").statusCode()).isEqualTo(404);
    assertThat(
            client
                .send(
                    HttpRequest.newBuilder(uri("/"))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                    HttpResponse.BodyHandlers.discarding())
                .statusCode())
        .isEqualTo(405);
  }
}
