package dev.headway.cli.option;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What a server answers to fixed questions, as text that is the same for equal servers: ids, times
 * and numbers of metrics are left out. Over sockets, so that every header is as said here.
 */
final class Conversation {

  /** The questions that take no time worth mentioning. */
  static final String QUICK = "plain,completion,again,chat,limits,foreign,crowd";

  private static final Pattern CHANGING =
      Pattern.compile(
          "(?i)under way=\\d+|\"(id|created|system_fingerprint|uptime[a-z_]*)\":(\"[^\"]*\"|[0-9.]+)"
              + "|(chatcmpl|cmpl)-[A-Za-z0-9-]+|(?m)^(date|x-request-id|traceparent|content-length):.*$");

  private static final String LONG = "a".repeat(200);

  private static final long LONGEST_LAG_MS = 5_000;

  private final String host;
  private final int port;
  private final AtomicInteger completions = new AtomicInteger(); // that were answered

  Conversation(String host, int port) {
    this.host = host;
    this.port = port;
  }

  /** A router has to have seen its workers first; waits a second at most. */
  void awaitReady() throws InterruptedException {
    final long end = System.currentTimeMillis() + 1_000;
    while (!isReady() && System.currentTimeMillis() < end) {
      Thread.sleep(5);
    }
  }

  private boolean isReady() {
    final String models = get("/v1/models");
    return get("/health").startsWith("http/1.1 200")
        && (models.contains("\"id\"") || !models.startsWith("http/1.1 200"));
  }

  String ask(String questions) {
    final StringBuilder text = new StringBuilder();
    for (String each : questions.split(",")) {
      text.append("== ").append(each).append('\n').append(answer(each)).append('\n');
    }
    return CHANGING.matcher(text.toString().replace(":" + port, ":PORT")).replaceAll("");
  }

  private String answer(String question) {
    return switch (question) {
      case "plain" ->
          get("/health")
              + get("/v1/models")
              + get("/server_info")
              + names(get("/metrics"))
              + firstLine(get("/"))
              + exchange(
                  "OPTIONS /v1/completions",
                  "Host: "
                      + host
                      + "\r\nOrigin: http://localhost:3000\r\n"
                      + "Access-Control-Request-Method: POST\r\n",
                  "");
      case "completion" ->
          completion("{\"prompt\":\"" + LONG + "\",\"temperature\":0,\"max_tokens\":3}", "key-a");
      case "again" ->
          completion("{\"prompt\":\"" + LONG + "\",\"temperature\":0,\"max_tokens\":3}", "key-b");
      case "finish" -> // of simulated tokens, which go by the request's id
          completion("{\"prompt\":\"a\",\"ignore_eos\":true,\"max_tokens\":4}", "key-a")
              .replaceAll("(?s)\\r\\n\\r\\n.*?(\"finish_reason|$)", "$1");
      case "chat" ->
          post(
              "/v1/chat/completions",
              """
          {"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},
          {"role":"user","content":"c"}],"temperature":0,"max_tokens":3}""",
              "key-a");
      case "constrained" ->
          completion(
              "{\"prompt\":\"a\",\"temperature\":0,\"max_tokens\":20,\"guided_regex\":\"[ab]{12}\"}",
              "key-a");
      case "tools" ->
          firstLine(
              post(
                  "/v1/chat/completions",
                  """
          {"messages":[{"role":"user","content":"a"}],"temperature":0,"max_tokens":3,
          "tools":[{"type":"function","function":{"name":"f"}}]}""",
                  "key-a"));
      case "wishes" ->
          completion(
                  "{\"prompt\":\"a\",\"temperature\":0,\"max_tokens\":2,"
                      + "\"kv_cache_retention_config\":{\"token_range_retention_configs\":"
                      + "[{\"priority\":90,\"duration_ms\":60000}]}}",
                  "key-a")
              + completion("{\"prompt\":\"a\",\"forced_token_ids\":[65,66]}", "key-a");
      case "pressed" -> // one prompt found again before two others, which do not fit beside it
          "aabca"
              .chars()
              .mapToObj(
                  letter ->
                      completion(
                          "{\"prompt\":\""
                              + Character.toString(letter).repeat(96)
                              + "\",\"max_tokens\":1}",
                          "key-a"))
              .map(Conversation::firstLine)
              .collect(Collectors.joining());
      case "limits" ->
          completion(
                  "{\"prompt\":\"a\",\"temperature\":0,\"max_tokens\":2,\"stop_token_ids\":[1,2,3]}",
                  "key-a")
              + firstLine(completion("{\"prompt\":\"a\",\"n\":2,\"max_tokens\":6}", "key-a"))
              + completion(
                  "{\"prompt\":\"a\",\"temperature\":0,\"max_tokens\":2,\"x\":\""
                      + "x".repeat(1_200_000)
                      + "\"}",
                  "key-a");
      case "foreign" -> exchange("GET /v1/models", "Host: other.example\r\n", "");
      case "crowd" -> crowd();
      case "cache" ->
          countedMetrics().lines().filter(line -> line.startsWith("vllm:prefix_cache")).toList()
              + "\n";
      case "residency" ->
          countedMetrics().lines().filter(line -> line.startsWith("vllm:kv_block_")).toList()
              + "\n";
      case "slow" -> // whether there is a comment before the token
          post("/v1/completions", "{\"prompt\":\"a\",\"max_tokens\":1,\"stream\":true}", "key-a")
                  .contains("\n: ")
              + "\n";
      case "half-head" -> idle("GET /health HTTP/1.1\r\nHo");
      case "half-body" ->
          idle(
              "POST /v1/completions HTTP/1.1\r\nHost: "
                  + host
                  + "\r\nContent-Length: 100\r\n\r\n{");
      case "occupied" -> occupied();
      default -> throw new IllegalArgumentException("a question must be known: " + question);
    };
  }

  private String get(String path) {
    return exchange("GET " + path, "Host: " + host + "\r\nAuthorization: Bearer key-a\r\n", "");
  }

  private String completion(String body, String key) {
    final String answer = post("/v1/completions", body, key);
    if (answer.startsWith("http/1.1 200")) {
      completions.incrementAndGet();
    }
    return answer;
  }

  /** The metrics once they have every completion of before: they follow the answers. */
  private String countedMetrics() {
    final long end = System.currentTimeMillis() + LONGEST_LAG_MS;
    String metrics = get("/metrics");
    while (succeeded(metrics) < completions.get() && System.currentTimeMillis() < end) {
      metrics = get("/metrics");
    }
    return metrics;
  }

  private static double succeeded(String metrics) {
    return metrics
        .lines()
        .filter(line -> line.startsWith("vllm:request_success_total"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private String post(String path, String body, String key) {
    return exchange(
        "POST " + path,
        "Host: "
            + host
            + "\r\nAuthorization: Bearer "
            + key
            + "\r\nContent-Type: application/json\r\n",
        body);
  }

  /** Only what names there are: values change. */
  private static String names(String metrics) {
    final List<String> names = new ArrayList<>();
    for (String line : metrics.split("\n")) {
      if (line.startsWith("# TYPE") || line.startsWith("HTTP")) {
        names.add(line);
      }
    }
    return String.join("\n", names) + "\n";
  }

  private static String firstLine(String answer) {
    return answer.lines().findFirst().orElse("") + "\n";
  }

  /** Several at once: how many were taken. */
  private String crowd() {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      final List<CompletableFuture<String>> answers =
          IntStream.range(0, 6)
              .mapToObj(
                  i ->
                      CompletableFuture.supplyAsync(
                          () ->
                              firstLine(
                                  completion(
                                      "{\"prompt\":\""
                                          + LONG
                                          + i
                                          + "\",\"temperature\":0,\"max_tokens\":20}",
                                      "key-a")),
                          threads))
              .toList();
      return answers.stream().map(CompletableFuture::join).sorted().distinct().toList() + "\n";
    }
  }

  /** Whether the server ends a connection on which nothing more comes, within 1.4 seconds. */
  private String idle(String begin) {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(begin.getBytes(StandardCharsets.US_ASCII));
      socket.setSoTimeout(1_400);
      final byte[] answer = socket.getInputStream().readAllBytes();
      return "ended: " + firstLine(new String(answer, StandardCharsets.UTF_8));
    } catch (IOException e) {
      return "not ended\n";
    }
  }

  /** How many of four connections are open still when a fifth was answered. */
  private String occupied() {
    final List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        sockets.add(connect());
        sockets.getLast().getOutputStream().write('G');
      }
      final String answer = firstLine(get("/health"));
      int open = 0;
      for (Socket each : sockets) {
        open += isOpen(each) ? 1 : 0;
      }
      return answer + open + " open\n";
    } catch (IOException e) {
      return "refused\n";
    } finally {
      sockets.forEach(Conversation::close);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is closed
    }
  }

  private static boolean isOpen(Socket socket) {
    try {
      socket.setSoTimeout(100);
      return socket.getInputStream().read() >= 0;
    } catch (SocketTimeoutException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private Socket connect() throws IOException {
    final Socket socket = new Socket();
    socket.connect(new InetSocketAddress(host, port), 2_000);
    return socket;
  }

  private String exchange(String request, String headers, String body) {
    final byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    final String head =
        request
            + " HTTP/1.1\r\n"
            + headers
            + "Connection: close\r\n"
            + (bytes.length == 0 ? "" : "Content-Length: " + bytes.length + "\r\n")
            + "\r\n";
    try (Socket socket = connect()) {
      socket.setSoTimeout(15_000);
      try {
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(bytes);
      } catch (IOException e) {
        // refused before all of it was read: the answer says why
      }
      return read(socket.getInputStream()).toLowerCase(Locale.ROOT) + "\n";
    } catch (IOException e) {
      return "no answer\n";
    }
  }

  private static String read(InputStream in) {
    final StringBuilder text = new StringBuilder();
    final byte[] part = new byte[65_536];
    try {
      for (int n = in.read(part); n >= 0; n = in.read(part)) {
        text.append(new String(part, 0, n, StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      text.append("\ncut\n");
    }
    return text.toString();
  }
}
