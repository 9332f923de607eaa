package dev.headway.cli.serve;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.probe.ProbeProvider;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes to servers from outside the command line: the environment, and signals. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerProcessTest {

  private static final String ADDRESS = "http://127[.]0[.]0[.]1:\\d+";
  private static final String BODY = "{\"prompt\":\"Hello\",\"max_tokens\":4,\"stream\":%s}";

  private static final Path STORIES =
      Path.of("..", "..", "sdk-executor-host/src/test/resources/models/stories260K-hf");

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"serve", "route --workers 127.0.0.1:1"})
  void shouldRefuseABlankKeyOfTheEnvironment(String command) throws Exception {
    final String[] words = (command + " --host 0.0.0.0 --port 0").split(" ");

    try (HeadwayProcess server =
        HeadwayProcess.start(folder, Map.of("HEADWAY_API_KEY", "   "), words)) {
      assertThat(server.exitCode()).isEqualTo(2);
      assertThat(server.output())
          .startsWith(
              "headway "
                  + words[0]
                  + ": --api-key must not be blank, on the command line or in its variable: fill"
                  + " it in, or unset it")
          .hasLineCount(1);
    }
  }

  @Test
  void shouldEndAtOnceAtTheSecondInterrupt() throws Exception {
    try (HeadwayProcess server =
            serve("--latency", "600000000000,0,0,0", "--drain-timeout", "600");
        Socket client = post(server, true)) {
      assertThat(client.getInputStream().read()).as("a sign of life").isEqualTo('H');
      server.signal("INT");
      server.await("draining: requests under way=1, .*a second Ctrl-C ends it at once");
      assertThat(server.isAlive()).isTrue();

      server.signal("INT");

      assertThat(server.exitCode()).isEqualTo(130);
      assertThat(server.output()).doesNotContain("stopped");
    }
  }

  @Test
  void shouldEndAtSigtermWhateverHoldsTheEngine() throws Exception {
    final Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.writeString(
        services.resolve(ProbeProvider.class.getName()), HoldingProbe.class.getName());

    try (HeadwayProcess server = serve("--probe", "holding", "--drain-timeout", "0");
        Socket client = post(server, false)) {
      server.await(HoldingProbe.HELD);

      server.signal("TERM");

      assertThat(server.exitCode()).isEqualTo(143);
      assertThat(server.output()).contains("draining: requests under way=1", "stopped: requests=1");
      assertThat(new String(client.getInputStream().readAllBytes(), US_ASCII))
          .startsWith("HTTP/1.1 503 ");
    }
  }

  @Test
  void shouldNotDescribeAModelThatItDoesNotRun() throws Exception {
    try (HeadwayProcess server = serve()) {
      server.await(ADDRESS);

      assertThat(server.output())
          .contains("model       headway-random, its tokenizer and chat template only")
          .contains("491,504 tokens, 239 requests of 2,048")
          .doesNotContain("gibberish", "MiB");
    }
  }

  @Test
  void shouldServeTheShapeOfAModelWithoutItsWeights() throws Exception {
    final Path shape = Files.createDirectories(folder.resolve("shape"));
    Files.copy(STORIES.resolve("config.json"), shape.resolve("config.json"));
    final String words = "serve --port 0 --executor reference --random-weights 7 --model " + shape;

    try (HeadwayProcess server = HeadwayProcess.start(folder, Map.of(), words.split(" "));
        Socket client = post(server, false)) {
      assertThat(new String(client.getInputStream().readNBytes(12), US_ASCII))
          .isEqualTo("HTTP/1.1 200");
      assertThat(server.output())
          .contains(
              "model       " + shape + ", random weights of seed 7: answers are gibberish",
              "0.26 M parameters",
              "tokenizer   bytes of UTF-8");
    }
  }

  private HeadwayProcess serve(String... options) throws IOException, InterruptedException {
    final String[] words = new String[options.length + 5];
    System.arraycopy(
        new String[] {"serve", "--port", "0", "--executor", "simulated"}, 0, words, 0, 5);
    System.arraycopy(options, 0, words, 5, options.length);
    return HeadwayProcess.start(folder, Map.of(), words);
  }

  /** A client that has asked, and waits. */
  private static Socket post(HeadwayProcess server, boolean stream)
      throws IOException, InterruptedException {
    final String body = BODY.formatted(stream);
    final Socket client = new Socket("127.0.0.1", URI.create(server.await(ADDRESS)).getPort());
    client
        .getOutputStream()
        .write(
            ("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type:"
                    + " application/json\r\nContent-Length: "
                    + body.length()
                    + "\r\n\r\n"
                    + body)
                .getBytes(US_ASCII));
    return client;
  }
}
