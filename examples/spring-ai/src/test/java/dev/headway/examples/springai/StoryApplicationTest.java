package dev.headway.examples.springai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** The application over HTTP. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "headway.model.directory=../../sdk-executor-host/src/test/resources/models/stories260K-hf",
      // Boot switches the export of metrics off in tests
      "spring.test.metrics.export=true"
    })
class StoryApplicationTest {

  private static final Pattern WAITED = Pattern.compile("waited \\{.*\\bmax_num_seqs=([0-9]+) ns");
  private static final Pattern MEASURED =
      Pattern.compile("headway_requests_waited_seconds_total\\{reason=\"max_num_seqs\"} (\\S+)");

  private static final Pattern FINISHED =
      Pattern.compile("headway_requests_finished_total\\{[^}]*} (\\S+)");

  private final HttpClient client = HttpClient.newHttpClient();

  @Value("${local.server.port}")
  private int port;

  @Test
  void shouldStreamStoriesAndSayWhyTheyWaitedAsTheMetricsDo() {
    // when all are asked for at once, of an engine that runs one at a time
    final List<String> stories =
        Stream.of("cat", "dog", "bird", "fox", "bear", "frog")
            .map(animal -> get("/story?of=" + animal))
            .toList()
            .stream()
            .map(answer -> answer.join().body())
            .toList();

    // then
    assertThat(stories)
        .allSatisfy(
            story -> {
              assertThat(story.lines().filter(line -> line.startsWith("data:")).count())
                  .isGreaterThan(10);
              assertThat(story).containsPattern("[a-z]").contains("data:waited {");
            });
    final double waitedNs = stories.stream().mapToDouble(story -> sum(WAITED, story)).sum();
    assertThat(waitedNs).isPositive();
    final String metrics = // which are made on a thread of their own
        await()
            .until(
                () -> get("/actuator/prometheus").join().body(),
                scrape -> sum(FINISHED, scrape) == stories.size());
    assertThat(metrics).contains("headway_tokens_total{type=\"prompt\"} 142.0");
    assertThat(sum(MEASURED, metrics)).isCloseTo(waitedNs / 1e9, within(1e-6));
  }

  private CompletableFuture<HttpResponse<String>> get(String path) {
    final URI uri = URI.create("http://localhost:" + port + path);
    return client.sendAsync(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  private static double sum(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .mapToDouble((MatchResult found) -> Double.parseDouble(found.group(1)))
        .sum();
  }
}
