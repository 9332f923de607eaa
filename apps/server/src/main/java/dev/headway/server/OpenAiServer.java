package dev.headway.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineHealth;
import dev.headway.api.engine.EngineState;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Routes and life of the server. A path that is not known is refused, and so is everything but
 * {@code /health} without the key if there is one, but not a browser's question whether it may ask.
 * The engine is its owner's: {@link #drain} drains it, {@link #close} leaves it open.
 */
public final class OpenAiServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(OpenAiServer.class);
  private static final String MODEL = "/v1/models/";
  private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /** Connections that may wait to be taken; the JDK's 50 make a burst of more wait a second. */
  private static final int BACKLOG = 1_024;

  private static final Duration POLL = Duration.ofMillis(10);

  private final Engine engine;
  private final ServedModel model;
  private final ServerOptions options;
  private final @Nullable Supplier<String> metrics;
  private final WriteGuard guard;
  private final GenerationHandler generations;
  private final AnswerFormat completions;
  private final AnswerFormat chats;
  private final AnswerFormat natives;
  private final WorkerRoutes worker;
  private final HttpServer http;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicBoolean draining = new AtomicBoolean();
  private final long createdS = Instant.now().getEpochSecond();

  private OpenAiServer(
      Engine engine,
      ServedModel model,
      ServerOptions options,
      @Nullable Supplier<String> metrics,
      HttpServer http) {
    this.engine = engine;
    this.model = model;
    this.options = options;
    this.metrics = metrics;
    this.http = http;
    this.guard = new WriteGuard(options.writeTimeout());
    this.generations = new GenerationHandler(engine, model, options, guard);
    final RequestReader reader = new RequestReader(model);
    this.completions = new CompletionFormat(reader, model.tokenizer());
    this.chats = new ChatFormat(reader, model.tokenizer());
    this.natives = new NativeFormat(reader);
    this.worker = new WorkerRoutes(engine, model, options, generations.underWay());
  }

  /**
   * Listens.
   *
   * @param engine started, with its own thread
   * @param metrics the text of {@code /metrics}, or null for none
   * @throws IOException if the address is taken
   */
  public static OpenAiServer start(
      Engine engine, ServedModel model, ServerOptions options, @Nullable Supplier<String> metrics)
      throws IOException {
    Http.configure();
    final HttpServer http;
    try {
      http = HttpServer.create(options.address(), BACKLOG);
    } catch (IOException e) {
      throw new IOException(
          "the address must be free: address=" + options.address() + ": " + e.getMessage(), e);
    }
    final OpenAiServer server = new OpenAiServer(engine, model, options, metrics, http);
    http.setExecutor(server.threads);
    http.createContext("/", server::serve);
    http.start();
    return server;
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return http.getAddress();
  }

  /** Requests that are being answered. */
  public int underWay() {
    return underWay.get();
  }

  private void serve(HttpExchange exchange) {
    if (options.pages().serves(exchange.getRequestURI().getPath())) {
      page(exchange);
    } else {
      call(exchange);
    }
  }

  private void page(HttpExchange exchange) {
    try (exchange) {
      if (options.pages().needsKey(exchange.getRequestURI().getPath())
          && options.apiKey() != null
          && !Http.hasKey(exchange, options.apiKey())) {
        Http.send(exchange, guard, noKey());
      } else {
        options.pages().handle(exchange);
      }
    } catch (IOException e) {
      LOG.debug("a reader of a page went away: {}", e.toString());
    }
  }

  private void call(HttpExchange exchange) {
    underWay.incrementAndGet();
    try (exchange) {
      options.cors().mark(exchange);
      try {
        route(exchange);
      } catch (ApiException e) {
        Http.send(exchange, guard, e);
      } catch (RuntimeException | LinkageError | OutOfMemoryError | StackOverflowError e) {
        LOG.error("a request failed: path={}", exchange.getRequestURI().getPath(), e);
        Http.send(exchange, guard, ApiException.of(500, "internal", "the server failed"));
      }
    } catch (IOException e) {
      LOG.debug("a client went away: {}", e.toString());
    } finally {
      underWay.decrementAndGet();
    }
  }

  private void route(HttpExchange exchange) throws IOException {
    if (options.cors().isPreflight(exchange)) {
      options.cors().allow(exchange);
      Http.sendNothing(exchange, guard);
      return;
    }
    final String path = exchange.getRequestURI().getPath();
    if (!path.equals("/health")
        && !path.equals("/ready")
        && options.apiKey() != null
        && !Http.hasKey(exchange, options.apiKey())) {
      throw noKey();
    }
    if (path.startsWith(MODEL)) {
      model(exchange, path.substring(MODEL.length()));
      return;
    }
    switch (path) {
      case "/v1/completions" -> generate(exchange, completions);
      case "/v1/chat/completions" -> generate(exchange, chats);
      case "/v1/models" -> answer(exchange, 200, models());
      case "/health", "/ready" -> health(exchange);
      case "/metrics" -> metrics(exchange);
      case "/generate" -> generate(exchange, natives);
      case "/server_info", "/get_server_info" -> answer(exchange, 200, worker.serverInfo());
      case "/model_info", "/get_model_info" -> answer(exchange, 200, worker.modelInfo());
      case "/v1/loads" -> answer(exchange, 200, worker.loads());
      case "/get_load" -> answer(exchange, 200, worker.load());
      case "/health_generate" -> {
        requireServing();
        answer(exchange, 200, worker.progress());
      }
      case "/abort_request" -> order(exchange, worker::abort);
      case "/flush_cache", "/reset_prefix_cache" -> order(exchange, worker::resetPrefixCache);
      default ->
          throw ApiException.of(
              404,
              "not_found",
              "no endpoint at this path; the API is below /v1, see GET /v1/models: path=" + path);
    }
  }

  private static ApiException noKey() {
    return ApiException.of(
        401, "invalid_api_key", "the request must carry the key: Authorization: Bearer KEY");
  }

  private void generate(HttpExchange exchange, AnswerFormat format) throws IOException {
    requireMethod(exchange, "POST");
    requireServing();
    generations.handle(exchange, format);
  }

  private void requireServing() {
    if (draining.get()) {
      throw ApiException.draining();
    }
  }

  private void health(HttpExchange exchange) throws IOException {
    final EngineHealth health = engine.health();
    final boolean runs = health.state() == EngineState.RUNNING && !draining.get();
    if (runs && health.isWell()) {
      answer(exchange, 200, Json.object().put("status", "ok"));
    } else if (runs) {
      answer(
          exchange,
          503,
          Json.object()
              .put("status", "stalled")
              .put("seconds_without_progress", seconds(health.sinceProgressNs())));
    } else {
      final String word =
          draining.get() ? "draining" : health.state().name().toLowerCase(Locale.ROOT);
      answer(exchange, 503, Json.object().put("status", word));
    }
  }

  private void metrics(HttpExchange exchange) throws IOException {
    if (metrics == null) {
      throw ApiException.of(404, "not_found", "metrics must be switched on: --metrics");
    }
    requireMethod(exchange, "GET");
    final byte[] text = (metrics.get() + progress()).getBytes(StandardCharsets.UTF_8);
    Http.send(exchange, guard, 200, METRICS_TYPE, text);
  }

  /**
   * What no probe can report: probes are called by the engine thread, which may be the one held.
   */
  private String progress() {
    final EngineHealth health = engine.health();
    return "# HELP headway_engine_stalled 1 if requests make no progress for --stall-threshold.\n"
        + "# TYPE headway_engine_stalled gauge\n"
        + "headway_engine_stalled "
        + (health.status() == EngineHealth.Status.STALLED ? 1 : 0)
        + "\n# HELP headway_engine_since_progress_seconds Time since requests last made progress,"
        + " or an idle engine looked for some.\n"
        + "# TYPE headway_engine_since_progress_seconds gauge\n"
        + "headway_engine_since_progress_seconds "
        + seconds(health.sinceProgressNs())
        + "\n";
  }

  private static double seconds(long ns) {
    return ns / 1e9;
  }

  private void model(HttpExchange exchange, String name) throws IOException {
    if (!name.equals(model.name())) {
      throw ApiException.unknownModel(name, model.name());
    }
    final ObjectNode json = Json.object();
    describe(json);
    answer(exchange, 200, json);
  }

  private ObjectNode models() {
    final ObjectNode json = Json.object().put("object", "list");
    describe(json.putArray("data").addObject());
    return json;
  }

  private void describe(ObjectNode json) {
    json.put("id", model.name())
        .put("object", "model")
        .put("created", createdS)
        .put("owned_by", "headway")
        .put("max_model_len", model.maxModelLen());
  }

  private void answer(HttpExchange exchange, int status, JsonNode body) throws IOException {
    requireMethod(exchange, "GET");
    Http.send(exchange, guard, status, body);
  }

  /** What is done for a request. */
  @FunctionalInterface
  private interface Order {
    JsonNode carryOut(HttpExchange exchange) throws IOException;
  }

  private void order(HttpExchange exchange, Order order) throws IOException {
    requireMethod(exchange, "POST");
    Http.send(exchange, guard, 200, order.carryOut(exchange));
  }

  private static void requireMethod(HttpExchange exchange, String method) {
    if (!exchange.getRequestMethod().equals(method)) {
      exchange.getResponseHeaders().set("Allow", method);
      throw ApiException.of(
          405,
          "method_not_allowed",
          "the method must be " + method + ": method=" + exchange.getRequestMethod());
    }
  }

  /**
   * Takes no more requests, which {@code /health} reports from now on, and waits for those under
   * way.
   *
   * @return whether all were answered in time
   * @throws InterruptedException if the caller is interrupted
   */
  public boolean drain(Duration longest) throws InterruptedException {
    final long deadlineNs = System.nanoTime() + longest.toNanos();
    draining.set(true);
    final boolean ended = engine.drain(longest);
    while (underWay.get() > 0 && System.nanoTime() < deadlineNs) {
      Thread.sleep(POLL); // their last bytes are on the way
    }
    return ended && underWay.get() == 0;
  }

  /** Stops listening; answers under way are cut. */
  @Override
  public void close() {
    draining.set(true);
    http.stop(0);
    threads.shutdownNow();
    guard.close();
  }
}
