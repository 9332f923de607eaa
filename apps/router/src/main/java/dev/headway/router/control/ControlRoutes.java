package dev.headway.router.control;

import dev.headway.http.ApiKeys;
import dev.headway.router.metrics.RouterMetrics;
import dev.headway.router.proxy.Failure;
import dev.headway.router.proxy.LocalRoutes;
import dev.headway.router.registry.Backend;
import dev.headway.router.registry.WorkerEntry;
import dev.headway.router.registry.WorkerJson;
import dev.headway.router.registry.WorkerRegistry;
import dev.headway.routing.policy.WorkerLoad;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code /health} ({@code /ready}, {@code /ping}), {@code /load}, {@code /metrics}, {@code
 * /v1/models} of all workers together, and {@code /workers}: {@code GET} lists them, {@code POST}
 * adds one, {@code DELETE /workers/ID} removes one. Changes need a key, and are off without one.
 * Any thread; never blocks.
 */
public final class ControlRoutes implements LocalRoutes {

  private static final String WORKERS = "/workers";
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final WorkerRegistry workers;
  private final RouterMetrics metrics;
  private final ApiKeys keys;
  private final BooleanSupplier isDraining;
  private final IntSupplier underWay;
  private final Runnable whenAdded;

  /**
   * The routes of a router.
   *
   * @param keys of the control plane; without any there are no changes
   * @param isDraining whether the router takes no more requests
   * @param underWay requests that it has taken and that have not ended
   * @param whenAdded called after a worker was added
   */
  public ControlRoutes(
      WorkerRegistry workers,
      RouterMetrics metrics,
      ApiKeys keys,
      BooleanSupplier isDraining,
      IntSupplier underWay,
      Runnable whenAdded) {
    this.workers = workers;
    this.metrics = metrics;
    this.keys = keys;
    this.isDraining = isDraining;
    this.underWay = underWay;
    this.whenAdded = whenAdded;
  }

  /** All but whether the router is well; workers have keys of their own. */
  @Override
  public boolean needsKey(FullHttpRequest request) {
    final String path = path(request);
    return !isHealth(request, path) && (keys.isEmpty() || !isOfWorkers(path));
  }

  private static String path(FullHttpRequest request) {
    final int query = request.uri().indexOf('?');
    return query < 0 ? request.uri() : request.uri().substring(0, query);
  }

  private static boolean isHealth(FullHttpRequest request, String path) {
    final boolean isGet = request.method().equals(HttpMethod.GET);
    return path.equals("/ping")
        ? isGet || request.method().equals(HttpMethod.POST)
        : isGet && (path.equals("/health") || path.equals("/ready"));
  }

  private static boolean isOfWorkers(String path) {
    return path.equals(WORKERS) || path.startsWith(WORKERS + "/");
  }

  @Override
  public @Nullable FullHttpResponse answer(FullHttpRequest request) {
    final String path = path(request);
    final boolean isGet = request.method().equals(HttpMethod.GET);
    if (isHealth(request, path)) {
      return health();
    }
    if (isGet && path.equals("/metrics")) {
      return answer(HttpResponseStatus.OK, RouterMetrics.CONTENT_TYPE, metrics.scrape());
    }
    if (isGet && path.equals("/load")) {
      return json(
          HttpResponseStatus.OK, NODES.objectNode().put("server_load", underWay.getAsInt()));
    }
    if (isGet && path.equals("/v1/models")) {
      return models();
    }
    if (isOfWorkers(path)) {
      return control(request, path);
    }
    return null;
  }

  private FullHttpResponse health() {
    final long healthy = workers.backends().stream().filter(Backend::isHealthy).count();
    final boolean isUp = healthy > 0 && !isDraining.getAsBoolean();
    final ObjectNode json =
        NODES
            .objectNode()
            .put("status", isDraining.getAsBoolean() ? "draining" : isUp ? "ok" : "no_worker")
            .put("healthy_workers", healthy)
            .put("workers", workers.backends().size());
    return json(isUp ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE, json);
  }

  private FullHttpResponse models() {
    final TreeSet<String> names = new TreeSet<>();
    workers.backends().stream().filter(Backend::isHealthy).forEach(b -> names.addAll(b.models()));
    final ObjectNode json = NODES.objectNode().put("object", "list");
    final ArrayNode data = json.putArray("data");
    names.forEach(
        name ->
            data.addObject()
                .put("id", name)
                .put("object", "model")
                .put("created", 0)
                .put("owned_by", "headway")
                .put("root", name));
    return json(HttpResponseStatus.OK, json);
  }

  private FullHttpResponse control(FullHttpRequest request, String path) {
    final boolean isList = request.method().equals(HttpMethod.GET) && path.equals(WORKERS);
    if (keys.isEmpty() && !isList) {
      return failure(
          HttpResponseStatus.FORBIDDEN, "no_control_key", "the router has no key for changes");
    }
    if (!keys.isEmpty()
        && keys.keyOf(request.headers().get(HttpHeaderNames.AUTHORIZATION)) == null) {
      return failure(
          HttpResponseStatus.UNAUTHORIZED,
          "invalid_api_key",
          "the control key must be sent as Authorization: Bearer KEY");
    }
    if (isList) {
      return list();
    }
    if (request.method().equals(HttpMethod.POST) && path.equals(WORKERS)) {
      return add(request);
    }
    if (request.method().equals(HttpMethod.DELETE) && path.length() > WORKERS.length() + 1) {
      return remove(
          URLDecoder.decode(path.substring(WORKERS.length() + 1), StandardCharsets.UTF_8));
    }
    return failure(
        HttpResponseStatus.METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "workers are listed by GET /workers, added by POST /workers, removed by DELETE"
            + " /workers/ID: method="
            + request.method());
  }

  private FullHttpResponse add(FullHttpRequest request) {
    try {
      final JsonNode json =
          JsonMapper.shared().readTree(request.content().toString(StandardCharsets.UTF_8));
      final WorkerEntry entry = WorkerJson.read(json);
      final Backend added = workers.add(entry, false);
      whenAdded.run();
      return json(HttpResponseStatus.ACCEPTED, worker(added));
    } catch (JacksonException e) {
      return failure(
          HttpResponseStatus.BAD_REQUEST,
          "bad_request",
          "the body must be JSON: " + e.getOriginalMessage());
    } catch (IllegalArgumentException e) {
      return failure(HttpResponseStatus.BAD_REQUEST, "bad_request", String.valueOf(e.getMessage()));
    }
  }

  /** By id, or by address. */
  private FullHttpResponse remove(String name) {
    for (Backend each : workers.backends()) {
      if (each.entry().id().equals(name) || each.entry().url().toString().equals(name)) {
        workers.remove(each.entry().id());
        return json(HttpResponseStatus.OK, worker(each));
      }
    }
    return failure(
        HttpResponseStatus.NOT_FOUND, "no_such_worker", "no worker has this id: id=" + name);
  }

  private FullHttpResponse list() {
    final ObjectNode json = NODES.objectNode();
    final ArrayNode all = json.putArray("workers");
    workers.backends().forEach(each -> all.add(worker(each)));
    json.put("policy", workers.policy());
    return json(HttpResponseStatus.OK, json);
  }

  private static ObjectNode worker(Backend backend) {
    final WorkerEntry entry = backend.entry();
    final ObjectNode json =
        NODES
            .objectNode()
            .put("id", entry.id())
            .put("url", entry.url().toString())
            .put("model_id", entry.model())
            .put("priority", entry.priority())
            .put("cost", entry.cost())
            .put("is_healthy", backend.isHealthy())
            .put("complaint", backend.complaint())
            .put("circuit_breaker", backend.breaker().state().label())
            .put("load", backend.worker().inFlight())
            .put("processed", backend.worker().dispatched());
    final ArrayNode models = json.putArray("models");
    backend.models().forEach(models::add);
    final ObjectNode labels = json.putObject("labels");
    entry.labels().forEach(labels::put);
    final WorkerLoad load = backend.worker().load();
    if (load != null) {
      json.putObject("reported")
          .put("tokens", load.tokens())
          .put("running", load.running())
          .put("waiting", load.waiting())
          .put("kv_usage", load.kvUsage());
    }
    return json;
  }

  private static FullHttpResponse failure(HttpResponseStatus status, String code, String message) {
    return json(status, new Failure(status, code, message).json());
  }

  private static FullHttpResponse json(HttpResponseStatus status, ObjectNode json) {
    return answer(status, "application/json", json.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static FullHttpResponse answer(HttpResponseStatus status, String type, byte[] body) {
    final FullHttpResponse answer =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(body));
    answer.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    return answer;
  }
}
