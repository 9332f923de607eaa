package dev.headway.probes.dashboard.browser;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A headless Chromium, driven by the DevTools protocol: the page as a person has it, with its
 * scripts, styles and content security policy. One page, one thread.
 */
final class Browser implements AutoCloseable {

  private static final long LIMIT_SECONDS = 20;
  private static final JsonMapper JSON = new JsonMapper();

  private final Process process;
  private final HttpClient client = HttpClient.newHttpClient();
  private final BlockingQueue<JsonNode> received = new LinkedBlockingQueue<>();
  private final List<String> faults = new ArrayList<>();
  private final WebSocket socket;
  private int calls;

  private Browser(Process process) throws Exception {
    this.process = process;
    socket =
        client
            .newWebSocketBuilder()
            .buildAsync(pageOf(endpoint(process)), new Listener(received))
            .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    call("Page.enable", Map.of());
    call("Runtime.enable", Map.of());
    call("Log.enable", Map.of());
  }

  /** The browser's program on this machine, if there is one. */
  static Optional<Path> program() {
    final String path = System.getenv().getOrDefault("PATH", "");
    return Stream.of("chromium", "chromium-browser", "google-chrome")
        .flatMap(name -> Stream.of(path.split(File.pathSeparator)).map(dir -> Path.of(dir, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts a browser that keeps its files in {@code profile}. */
  static Browser start(Path program, Path profile) throws Exception {
    final Process process =
        new ProcessBuilder(
                program.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      return new Browser(process);
    } catch (Exception e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static URI endpoint(Process process) throws IOException {
    final BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      final int at = line.indexOf("ws://");
      if (at >= 0) {
        return URI.create(line.substring(at).trim());
      }
    }
    throw new IOException("the browser ended before it listened");
  }

  private URI pageOf(URI browser) throws IOException, InterruptedException {
    final URI list = URI.create("http://127.0.0.1:" + browser.getPort() + "/json/list");
    final JsonNode pages =
        JSON.readTree(
            client
                .send(HttpRequest.newBuilder(list).build(), HttpResponse.BodyHandlers.ofString())
                .body());
    for (JsonNode page : pages) {
      if (page.get("type").asString().equals("page")) {
        return URI.create(page.get("webSocketDebuggerUrl").asString());
      }
    }
    throw new IOException("the browser has no page: " + pages);
  }

  /** Takes the size of a screen, and its colours. */
  void screen(int width, int height, String scheme) throws Exception {
    call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
    call(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  /** Goes to a page. */
  void open(URI address) throws Exception {
    call("Page.navigate", Map.of("url", address.toString()));
  }

  /** The value of an expression in the page. */
  JsonNode value(String expression) throws Exception {
    final JsonNode answer =
        call("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true));
    if (answer.has("exceptionDetails")) {
      throw new AssertionError(expression + " failed: " + answer.get("exceptionDetails"));
    }
    return answer.get("result").path("value");
  }

  /** Waits until an expression is true. */
  void await(String expression) throws Exception {
    final long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!value("!!(" + expression + ")").asBoolean()) {
      if (System.nanoTime() > endNs) {
        throw new AssertionError(
            "not within " + LIMIT_SECONDS + " s: " + expression + ", faults=" + faults);
      }
      value("new Promise(done => setTimeout(done, 50))");
    }
  }

  /** What the page's scripts threw, and what the browser complained of. */
  List<String> faults() {
    return faults;
  }

  private JsonNode call(String method, Map<String, ?> params) throws Exception {
    final int id = ++calls;
    socket
        .sendText(
            JSON.writeValueAsString(Map.of("id", id, "method", method, "params", params)), true)
        .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    while (true) {
      final JsonNode message = received.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
      if (message == null) {
        throw new AssertionError("the browser does not answer: " + method);
      }
      if (message.path("id").asInt() == id) {
        if (message.has("error")) {
          throw new AssertionError(method + " failed: " + message.get("error"));
        }
        return message.get("result");
      }
      note(message);
    }
  }

  private void note(JsonNode message) {
    final String method = message.path("method").asString("");
    final boolean isError =
        message.path("params").path("entry").path("level").asString("").equals("error");
    if (method.equals("Runtime.exceptionThrown") || method.equals("Log.entryAdded") && isError) {
      faults.add(message.get("params").toString());
    }
  }

  @Override
  public void close() {
    socket.abort();
    client.shutdownNow();
    process.destroyForcibly();
    try {
      process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Puts whole messages into a queue. */
  private record Listener(BlockingQueue<JsonNode> received, StringBuilder text)
      implements WebSocket.Listener {

    Listener(BlockingQueue<JsonNode> received) {
      this(received, new StringBuilder());
    }

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        received.add(JSON.readTree(text.toString()));
        text.setLength(0);
      }
      socket.request(1);
      return null;
    }
  }
}
