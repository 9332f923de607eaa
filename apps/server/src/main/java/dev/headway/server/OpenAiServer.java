package dev.headway.server;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineHealth;
import dev.headway.api.engine.EngineState;
import dev.headway.http.ApiKeys;
import dev.headway.http.BrowserRules;
import dev.headway.http.HttpFailure;
import dev.headway.http.server.HttpListener;
import dev.headway.http.server.ServerExchange;
import dev.headway.serving.ServedModel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Routes and life of the server. A path that is not known is refused, and so is everything but
 * {@code /health} and the like without the key if there is one, but not a browser's question
 * whether it may ask. The engine is its owner's: {@link #drain} drains it, {@link #close} leaves it
 * open.
 */
public final class OpenAiServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(OpenAiServer.class);
  private static final String MODEL = "/v1/models/";
  private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /** What needs no key. */
  private static final Set<String> OPEN = Set.of("/health", "/ready", "/ping");

  private static final Duration POLL = Duration.ofMillis(10);

  private final Engine engine;
  private final ServedModel model;
  private final ServerOptions options;
  private final @Nullable Supplier<String> metrics;
  private final BrowserRules browsers;
  private final GenerationHandler generations;
  private final AnswerFormat completions;
  private final AnswerFormat chats;
  private final AnswerFormat natives;
  private final WorkerRoutes worker;
  private final LimitRoutes limits;
  private final TokenRoutes tokens;
  private final HttpListener http;
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger generating = new AtomicInteger();
  private final AtomicBoolean draining = new AtomicBoolean();
  private final long createdS = Instant.now().getEpochSecond();

  private OpenAiServer(
      Engine engine, ServedModel model, ServerOptions options, @Nullable Supplier<String> metrics)
      throws IOException {
    this.engine = engine;
    this.model = model;
    this.options = options;
    this.metrics = metrics;
    this.browsers = new BrowserRules(options.address().getAddress(), options.access().hosts());
    final Bodies bodies = new Bodies(options.limits());
    this.generations = new GenerationHandler(engine, model, options, bodies);
    final RequestReader reader =
        new RequestReader(model, options.limits(), options.structure().toolParser());
    this.completions = new CompletionFormat(reader, model.tokenizer());
    this.chats = new ChatFormat(reader, model.tokenizer());
    this.natives = new NativeFormat(reader);
    this.limits = new LimitRoutes(engine, bodies);
    this.tokens = new TokenRoutes(model, bodies, reader);
    this.worker = new WorkerRoutes(engine, model, options, bodies, generations.underWay());
    this.http =
        HttpListener.open(options.address(), options.connections(), options.tls(), this::serve);
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
    return new OpenAiServer(engine, model, options, metrics);
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return http.address();
  }

  /** Connections open. */
  public int connections() {
    return http.connections();
  }

  /** Requests that are being answered. */
  public int underWay() {
    return underWay.get();
  }

  private void serve(ServerExchange exchange) {
    if (options.pages().serves(exchange.uri().getPath())) {
      page(exchange);
    } else {
      call(exchange);
    }
  }

  private void page(ServerExchange exchange) {
    try (exchange) {
      requireOwn(exchange);
      if (options.pages().needsKey(exchange.uri().getPath()) && !isAllowed(exchange)) {
        Http.send(exchange, noKey());
      } else {
        options.pages().handle(exchange);
      }
    } catch (ApiException e) {
      refuse(exchange, e);
    } catch (IOException e) {
      LOG.debug("a reader of a page went away: {}", e.toString());
    }
  }

  private void call(ServerExchange exchange) {
    underWay.incrementAndGet();
    try (exchange) {
      options.access().cors().mark(exchange::header, exchange::setHeader);
      final String id = RequestIds.of(exchange);
      exchange.setHeader(RequestIds.HEADER, id);
      try {
        route(exchange, id);
      } catch (ApiException e) {
        Http.send(exchange, e);
      } catch (RuntimeException | LinkageError | OutOfMemoryError | StackOverflowError e) {
        LOG.error("a request failed: path={}", exchange.uri().getPath(), e);
        Http.send(exchange, ApiException.of(500, "internal", "the server failed"));
      }
    } catch (IOException e) {
      LOG.debug("a client went away: {}", e.toString());
    } finally {
      underWay.decrementAndGet();
    }
  }

  private static void refuse(ServerExchange exchange, ApiException failure) {
    try (exchange) {
      Http.send(exchange, failure);
    } catch (IOException e) {
      LOG.debug("a client went away: {}", e.toString());
    }
  }

  private boolean isAllowed(ServerExchange exchange) {
    final ApiKeys keys = options.access().keys();
    return keys.isEmpty() || keys.keyOf(exchange.header("Authorization")) != null;
  }

  private void route(ServerExchange exchange, String id) throws IOException {
    requireOwn(exchange);
    if (options.access().cors().isPreflight(exchange.method(), exchange::header)) {
      options.access().cors().allow(exchange::header, exchange::setHeader);
      exchange.sendNothing(204);
      return;
    }
    final String path = exchange.uri().getPath();
    if (!OPEN.contains(path) && !isAllowed(exchange)) {
      throw noKey();
    }
    if (path.startsWith(MODEL)) {
      model(exchange, path.substring(MODEL.length()));
      return;
    }
    switch (path) {
      case "/v1/completions" -> generate(exchange, completions, id);
      case "/v1/chat/completions" -> generate(exchange, chats, id);
      case "/v1/models" -> answer(exchange, 200, models());
      case "/health", "/ready" -> health(exchange);
      case "/ping" -> ping(exchange);
      case "/version" -> answer(exchange, 200, version());
      case "/load" -> answer(exchange, 200, Json.object().put("server_load", generating.get()));
      case "/tokenize" -> order(exchange, tokens::tokenize);
      case "/detokenize" -> order(exchange, tokens::detokenize);
      case "/metrics" -> metrics(exchange);
      case "/generate" -> generate(exchange, natives, id);
      case "/server_info", "/get_server_info" -> answer(exchange, 200, worker.serverInfo());
      case "/model_info", "/get_model_info" -> answer(exchange, 200, worker.modelInfo());
      case "/v1/loads" -> answer(exchange, 200, worker.loads());
      case "/get_load" -> answer(exchange, 200, worker.load());
      case "/health_generate" -> {
        requireServing();
        answer(exchange, 200, worker.progress());
      }
      case "/limits" -> {
        if (exchange.method().equals("GET")) {
          answer(exchange, 200, limits.limits());
        } else {
          order(exchange, limits::setLimits);
        }
      }
      case "/abort_request" -> order(exchange, worker::abort);
      case "/flush_cache", "/reset_prefix_cache" -> order(exchange, worker::resetPrefixCache);
      default ->
          throw ApiException.of(
              404,
              "not_found",
              "no endpoint at this path; of OpenAI's there are /v1/completions,"
                  + " /v1/chat/completions and /v1/models: path="
                  + path);
    }
  }

  /** Before anything is read of it. */
  private void requireOwn(ServerExchange exchange) {
    try {
      browsers.requireHost(exchange.header("Host"));
      if (exchange.method().equals("POST")) {
        BrowserRules.requireJson(
            exchange.header("Content-Type"), exchange.header("Origin") != null);
      }
    } catch (HttpFailure e) {
      throw ApiException.of(e);
    }
  }

  private static ApiException noKey() {
    return ApiException.of(
        401, "invalid_api_key", "the request must carry the key: Authorization: Bearer KEY");
  }

  private void generate(ServerExchange exchange, AnswerFormat format, String id)
      throws IOException {
    requireMethod(exchange, "POST");
    requireServing();
    generating.incrementAndGet();
    try {
      generations.handle(exchange, format, id);
    } finally {
      generating.decrementAndGet();
    }
  }

  private void requireServing() {
    if (draining.get()) {
      throw ApiException.draining();
    }
  }

  /** {@code /health} for those that ask by POST as well. */
  private void ping(ServerExchange exchange) throws IOException {
    if (exchange.method().equals("POST")) {
      sendHealth(exchange);
    } else {
      health(exchange);
    }
  }

  private void health(ServerExchange exchange) throws IOException {
    requireMethod(exchange, "GET");
    sendHealth(exchange);
  }

  private static ObjectNode version() {
    final String version = OpenAiServer.class.getPackage().getImplementationVersion();
    return Json.object().put("version", version == null ? "development" : version);
  }

  private void sendHealth(ServerExchange exchange) throws IOException {
    final EngineHealth health = engine.health();
    final boolean runs = health.state() == EngineState.RUNNING && !draining.get();
    if (runs && health.isWell()) {
      Http.send(exchange, 200, Json.object().put("status", "ok"));
    } else if (runs) {
      Http.send(
          exchange,
          503,
          Json.object()
              .put("status", "stalled")
              .put("seconds_without_progress", seconds(health.sinceProgressNs())));
    } else {
      final String word =
          draining.get() ? "draining" : health.state().name().toLowerCase(Locale.ROOT);
      Http.send(exchange, 503, Json.object().put("status", word));
    }
  }

  private void metrics(ServerExchange exchange) throws IOException {
    if (metrics == null) {
      throw ApiException.of(404, "not_found", "metrics must be switched on: --metrics");
    }
    requireMethod(exchange, "GET");
    final byte[] text = (metrics.get() + progress()).getBytes(StandardCharsets.UTF_8);
    Http.send(exchange, 200, METRICS_TYPE, text);
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

  private void model(ServerExchange exchange, String name) throws IOException {
    if (!name.equals(model.name()) && model.adapter(name).isEmpty()) {
      throw ApiException.unknownModel(name, model);
    }
    final ObjectNode json = Json.object();
    describe(json, name);
    answer(exchange, 200, json);
  }

  private ObjectNode models() {
    final ObjectNode json = Json.object().put("object", "list");
    final ArrayNode models = json.putArray("data");
    describe(models.addObject(), model.name());
    model.adapters().forEach(adapter -> describe(models.addObject(), adapter.name()));
    return json;
  }

  /** An adapter's parent is the model. */
  private void describe(ObjectNode json, String name) {
    json.put("id", name)
        .put("object", "model")
        .put("created", createdS)
        .put("owned_by", "headway")
        .put("root", name)
        .put("parent", name.equals(model.name()) ? null : model.name())
        .put("max_model_len", model.maxModelLen());
  }

  private void answer(ServerExchange exchange, int status, JsonNode body) throws IOException {
    requireMethod(exchange, "GET");
    Http.send(exchange, status, body);
  }

  /** What is done for a request. */
  @FunctionalInterface
  private interface Order {
    JsonNode carryOut(ServerExchange exchange) throws IOException;
  }

  private void order(ServerExchange exchange, Order order) throws IOException {
    requireMethod(exchange, "POST");
    Http.send(exchange, 200, order.carryOut(exchange));
  }

  private static void requireMethod(ServerExchange exchange, String method) {
    final String asked = exchange.method();
    if (!asked.equals(method) && !(method.equals("GET") && asked.equals("HEAD"))) {
      exchange.setHeader("Allow", method);
      throw ApiException.of(
          405, "method_not_allowed", "the method must be " + method + ": method=" + asked);
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
    http.close();
    generations.close();
  }
}
