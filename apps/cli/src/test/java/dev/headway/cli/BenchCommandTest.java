package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class BenchCommandTest {

  private static final JsonMapper JSON = JsonMapper.shared();

  private final Queue<JsonNode> bodies = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private HttpServer server;
  private volatile int status = 200;
  @TempDir private Path directory;

  @BeforeEach
  void startServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/v1/models",
        exchange -> {
          final byte[] body = "{\"data\":[{\"id\":\"served\"}]}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.createContext(
        "/v1/completions",
        exchange -> {
          final JsonNode asked = JSON.readTree(exchange.getRequestBody().readAllBytes());
          bodies.add(asked);
          exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
          exchange.sendResponseHeaders(status, 0);
          try (OutputStream out = exchange.getResponseBody()) {
            final int tokens = asked.path("max_tokens").intValue();
            for (int i = 0; i < tokens && status == 200; i++) {
              out.write(
                  "data: {\"choices\":[{\"text\":\"a\"}]}\n\n".getBytes(StandardCharsets.UTF_8));
              out.flush();
            }
            out.write("data: [DONE]\n\n".getBytes(StandardCharsets.UTF_8));
          }
        });
    server.start();
  }

  @AfterEach
  void stopServer() {
    server.stop(0);
    threads.shutdownNow();
  }

  private CliRun bench(Object... more) {
    final Object[] arguments = new Object[more.length + 6];
    arguments[0] = "bench";
    arguments[1] = "--url";
    arguments[2] = "http://127.0.0.1:" + server.getAddress().getPort();
    arguments[3] = "--out";
    arguments[4] = directory.resolve("out");
    arguments[5] = "--no-rehearsal";
    System.arraycopy(more, 0, arguments, 6, more.length);
    return CliRun.of(arguments);
  }

  private JsonNode result(String name) throws IOException {
    return JSON.readTree(Files.readString(directory.resolve("out").resolve(name)));
  }

  @Test
  void shouldSendTheRequestsOfAJournal() throws IOException {
    CliRun.of("replay", "chatbot(rate=200,requests=8)", "--out", directory.resolve("recorded"));

    final CliRun run = bench(directory.resolve("recorded/journal"));

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(result("result.json").path("completed").intValue()).isEqualTo(8);
  }

  @Test
  void shouldSayHowManyFailedRequestsOfATraceItLeavesOut() throws IOException {
    final Path trace = directory.resolve("trace.csv");
    Files.writeString(
        trace, "Timestamp,Request tokens,Response tokens\n1.0,5.0,2\n1.1,6,0\n1.2,7,3\n");

    final CliRun run = bench(trace);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).contains("trace.csv: 1 of 3 rows left out: 1 without response tokens");
    assertThat(result("result.json").path("completed").intValue()).isEqualTo(2);
  }

  @Test
  void shouldMeasureAServerAndLeaveItsFiles() throws IOException {
    final CliRun run =
        bench("--num-requests", 10, "--request-rate", 100, "--output-len", 3, "--input-len", 8);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("Successful requests:                     10        \n")
        .contains("Total generated tokens:                  30        \n");
    assertThat(directory.resolve("out"))
        .isDirectoryContaining("glob:**/result.json")
        .isDirectoryContaining("glob:**/requests.csv")
        .isDirectoryContaining("glob:**/node_requests.csv")
        .isDirectoryContaining("glob:**/timeline.html");
    final JsonNode result = result("result.json");
    assertThat(result.path("model_id").stringValue()).isEqualTo("served");
    assertThat(result.path("completed").intValue()).isEqualTo(10);
    assertThat(result.path("request_rate").doubleValue()).isEqualTo(100);
    assertThat(bodies).hasSize(11); // a warm-up too
    assertThat(Files.readAllLines(directory.resolve("out").resolve("node_requests.csv")))
        .hasSize(12);
    assertThat(Files.readString(directory.resolve("out").resolve("timeline.html")))
        .startsWith("<!DOCTYPE html>")
        .doesNotContain("http-equiv=\"refresh\"")
        .doesNotContain("src=\"http");
  }

  @Test
  void shouldRunTheScenariosOfTheBriefInTurn() throws IOException {
    final CliRun run = bench("--scenario", "brief", "--output-len", 1, "--quiet");

    assertThat(run.exitCode()).as(run.err()).isIn(0);
    assertThat(result("runs/small/result.json").path("num_prompts").intValue()).isEqualTo(10);
    assertThat(result("runs/medium/result.json").path("request_rate").doubleValue()).isEqualTo(50);
    assertThat(result("runs/large/result.json").path("completed").intValue()).isEqualTo(500);
    assertThat(Files.readAllLines(directory.resolve("out").resolve("runs.csv"))).hasSize(4);
  }

  @Test
  void shouldRunEachRateAndLimitInTurn() throws IOException {
    final CliRun run =
        bench(
            "--num-requests",
            4,
            "--request-rate",
            "200,400",
            "--max-concurrency",
            "1,2",
            "--output-len",
            2);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(Files.readAllLines(directory.resolve("out").resolve("runs.csv")))
        .hasSize(5)
        .element(1)
        .asString()
        .startsWith("rate-200-concurrency-1,200,1,complete,4,4,0,");
  }

  @Test
  void shouldSweepBetweenOneAtATimeAndAllAtOnce() throws IOException {
    final CliRun run = bench("--num-requests", 6, "--sweep", 2, "--output-len", 2, "-q");

    assertThat(run.exitCode()).as(run.err()).isZero();
    final List<String> rows = Files.readAllLines(directory.resolve("out").resolve("runs.csv"));
    assertThat(rows).hasSize(5);
    assertThat(rows.get(1)).startsWith("synchronous,");
    assertThat(rows.get(2)).startsWith("throughput,inf,");
  }

  @Test
  void shouldSayBetweenWhichRatesTheCapacityIs() throws IOException {
    final CliRun run =
        bench(
            "--num-requests",
            5,
            "--find-capacity",
            "50:100",
            "--goodput",
            "ttft:60000",
            "-q",
            "--output-len",
            1);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("at least 100.0 requests/s, the largest that was tried");
    assertThat(result("capacity.json").path("capacity_rps").doubleValue()).isEqualTo(100);
  }

  @Test
  void shouldSendWhatAScheduleSays() throws IOException {
    final Path schedule =
        Files.writeString(
            directory.resolve("in.jsonl"),
            "{\"i\":0,\"offset_ns\":0,\"prompt_len\":3,\"output_len\":2}\n"
                + "{\"i\":1,\"offset_ns\":5000000,\"prompt_len\":4,\"output_len\":1}\n");

    final CliRun run =
        bench(
            "--schedule-in",
            schedule,
            "--schedule-out",
            directory.resolve("out.jsonl"),
            "--num-warmups",
            0);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(bodies).extracting(body -> body.path("prompt").size()).containsExactly(3, 4);
    assertThat(directory.resolve("out.jsonl")).hasSameTextualContentAs(schedule);
  }

  @Test
  void shouldWriteVllmsFileUnderVllmsName() throws IOException {
    bench(
        "--num-requests",
        2,
        "--result-format",
        "vllm",
        "--result-dir",
        directory.resolve("results"),
        "--output-len",
        1,
        "--save-detailed");

    try (var files = Files.list(directory.resolve("results"))) {
      final Path file = files.findFirst().orElseThrow();
      assertThat(file.getFileName().toString())
          .matches("openai-infqps-served-\\d{8}-\\d{6}\\.json");
      assertThat(JSON.readTree(Files.readString(file)).path("ttfts").size()).isEqualTo(2);
    }
  }

  @Test
  void shouldSendNothingIfAResultCouldNotBeWritten() {
    final Path file = directory.resolve("none").resolve("runs.jsonl");

    final CliRun run = bench("--num-requests", 2, "--result-file", file);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains(file + ": there is no such directory; make it first: mkdir -p ");
    assertThat(bodies).isEmpty();
    assertThat(file.getParent()).doesNotExist();
  }

  @Test
  void shouldFailIfNoRequestIsAnswered() {
    status = 500;

    final CliRun run = bench("--num-requests", 3, "--num-warmups", 0, "--output-len", 1);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("Mean TTFT (ms):                          n/a       \n");
    assertThat(run.err()).contains("headway bench: requests failed: failed=3, first: HTTP 500");
  }

  @Test
  void shouldTestItselfWithoutAServer() throws IOException {
    final CliRun run = bench("--self-test", "--num-requests", 20, "--request-rate", 400, "-q");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(bodies).isEmpty();
    assertThat(result("result.json").path("completed").intValue()).isEqualTo(20);
  }

  @Test
  void shouldSayThatThereIsNoServer() {
    server.stop(0);

    final CliRun run = bench("--num-requests", 3);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith(
            "headway bench: the server must answer at /v1/models, or --served-model-name be given: url=")
        .hasLineCount(1);
    assertThat(directory.resolve("out")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({
    "--request-rate=0, '--request-rate must be numbers > 0, or inf: --request-rate=0'",
    "--num-requests=0, --num-requests must be >= 1: --num-requests=0",
    "--request-rate=9 --burstiness=0, '--burstiness must be > 0, or inf: --burstiness=0'",
    "--max-concurrency=0, --max-concurrency must be >= 1",
    "--goodput=ttft, '--goodput: a service level must be ttft, tpot'",
    "--endpoint=embeddings, --backend must be completions or chat",
    "--ramp-up-strategy=linear, --ramp-up-strategy needs --ramp-up-start-rps",
    "--find-capacity=1:9, '--find-capacity needs --goodput'",
    "--extra-body=3, --extra-body must be an object in JSON",
    "--strict-request-rate, --strict-request-rate needs --request-rate",
    "--metric-percentiles=101, '--metric-percentiles must be in [0, 100]'",
    "--url=localhost:8000, '--url: the server''s address must be like http://127.0.0.1:8000'"
  })
  void shouldNameTheOptionThatIsWrong(String options, String words) {
    final CliRun run = bench((Object[]) options.split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("headway bench: ").contains(words);
  }
}
