package dev.headway.server;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.kvcache.KvCacheStats;
import dev.headway.api.request.Request;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.ResetScope;
import dev.headway.http.BodyBudget;
import dev.headway.http.server.ServerExchange;
import dev.headway.serving.ServedModel;
import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a server in front of several of these asks: who it is, how loaded, whether it makes
 * progress; and what it orders: give a request up, forget the cache. Paths and names are SGLang's
 * and vLLM's. Any thread.
 */
final class WorkerRoutes {

  /** As long as SGLang waits for a token. */
  private static final Duration PROGRESS = Duration.ofSeconds(20);

  private static final Duration POLL = Duration.ofMillis(5);
  private static final String HEALTH_ID = "health-check-";

  private final Engine engine;
  private final ServedModel model;
  private final ServerOptions options;
  private final Bodies bodies;
  private final UnderWay underWay;

  WorkerRoutes(
      Engine engine, ServedModel model, ServerOptions options, Bodies bodies, UnderWay underWay) {
    this.engine = engine;
    this.model = model;
    this.options = options;
    this.bodies = bodies;
    this.underWay = underWay;
  }

  /** What the server is. */
  ObjectNode serverInfo() {
    final WorkerInfo info = options.worker();
    final ObjectNode json =
        Json.object()
            .put("model_path", info.modelPath())
            .put("tokenizer_path", info.modelPath())
            .put("served_model_name", model.name())
            .put("model_id", model.name())
            .put("version", "headway")
            .put("status", engine.state() == EngineState.RUNNING ? "ready" : "stopped")
            .put("dp_size", 1)
            .put("tp_size", 1)
            .put("max_model_len", model.maxModelLen())
            .put("page_size", info.blockSize())
            .put("max_total_num_tokens", kvTokens(engine.stats().kvCache().usableBlocks()))
            .put("max_total_tokens", kvTokens(engine.stats().kvCache().usableBlocks()));
    if (info.maxNumSeqs() > 0) {
      json.put("max_running_requests", info.maxNumSeqs())
          .put("max_batch_size", info.maxNumSeqs())
          .put("max_num_reqs", info.maxNumSeqs())
          .put("max_prefill_tokens", info.maxNumBatchedTokens());
    }
    if (info.kvEventsConfig() != null) {
      json.put("kv_events_config", info.kvEventsConfig()); // a text, as SGLang has it
    }
    json.putArray("internal_states").addObject().put("last_gen_throughput", 0);
    return json;
  }

  /** What the model is. */
  ObjectNode modelInfo() {
    final ObjectNode json =
        Json.object()
            .put("model_path", options.worker().modelPath())
            .put("tokenizer_path", options.worker().modelPath())
            .put("served_model_name", model.name())
            .put("is_generation", true)
            .put("model_type", "headway")
            .put("max_context_length", model.maxModelLen())
            .put("vocab_size", model.vocabularySize());
    json.putArray("architectures");
    return json;
  }

  /** How loaded it is. */
  ObjectNode loads() {
    final EngineStats stats = engine.stats();
    final ObjectNode json =
        Json.object()
            .put("timestamp", Instant.now().toString())
            .put("version", "headway")
            .put("dp_rank_count", 1);
    final ObjectNode rank = json.putArray("loads").addObject();
    final KvCacheStats cache = stats.kvCache();
    rank.put("dp_rank", 0)
        .put("num_running_reqs", stats.running())
        .put("num_waiting_reqs", stats.waiting())
        .put("num_total_reqs", stats.running() + stats.waiting())
        .put("num_used_tokens", kvTokens(cache.heldBlocks()))
        .put("num_total_tokens", tokens(cache))
        .put("max_total_num_tokens", kvTokens(cache.usableBlocks()))
        .put("token_usage", usage(cache));
    json.putObject("aggregate")
        .put("total_running_reqs", stats.running())
        .put("total_waiting_reqs", stats.waiting())
        .put("total_reqs", stats.running() + stats.waiting())
        .put("total_tokens", tokens(cache));
    return json;
  }

  /** The same in the older form: a list of ranks. */
  JsonNode load() {
    final EngineStats stats = engine.stats();
    return Json.array()
        .add(
            Json.object()
                .put("dp_rank", 0)
                .put("num_reqs", stats.running() + stats.waiting())
                .put("num_waiting_reqs", stats.waiting())
                .put("num_tokens", tokens(stats.kvCache())));
  }

  /** KV tokens held, and prompt tokens that are not computed or not answered yet. */
  private long tokens(KvCacheStats cache) {
    return kvTokens(cache.heldBlocks()) + underWay.unansweredPromptTokens();
  }

  private long kvTokens(long blocks) {
    return blocks * options.worker().blockSize();
  }

  private static double usage(KvCacheStats cache) {
    return cache.usableBlocks() == 0 ? 0 : (double) cache.heldBlocks() / cache.usableBlocks();
  }

  /** Gives a request up: {@code {"rid": ID}}, or all with {@code {"abort_all": true}}. */
  ObjectNode abort(ServerExchange exchange) throws IOException {
    final Fields fields;
    try (BodyBudget.Claim claim = bodies.claim(exchange)) {
      fields = new Fields(bodies.object(bodies.read(exchange, claim), claim));
    }
    if (fields.flag("abort_all", false)) {
      underWay.abortAll();
    } else if (fields.text("rid", "").isEmpty()) {
      throw fields.wrong("rid", "the id of a request", fields.get("rid"));
    } else {
      underWay.abort(fields.text("rid", ""));
    }
    return Json.object().put("status", "ok");
  }

  /**
   * Forgets cached prefixes.
   *
   * @throws ApiException 400 if requests hold blocks and may keep them
   */
  ObjectNode resetPrefixCache(ServerExchange exchange) {
    final String query = exchange.uri().getQuery();
    final boolean preempt = query != null && query.contains("reset_running_requests=true");
    final ResetScope scope = preempt ? ResetScope.PREEMPT_RUNNING : ResetScope.IDLE_ONLY;
    try {
      if (!engine
          .resetPrefixCache(scope)
          .toCompletableFuture()
          .get(PROGRESS.toSeconds(), TimeUnit.SECONDS)) {
        throw ApiException.of(
            400, "cache_in_use", "the cache must not be in use: requests hold blocks of it");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ApiException.of(503, "interrupted", "the server is stopping");
    } catch (ExecutionException | TimeoutException e) {
      throw ApiException.of(503, "not_reset", "the engine did not reset its cache: " + e);
    }
    return Json.object().put("success", true);
  }

  /**
   * Whether tokens are made: a step is done while requests run, else a request of one token.
   *
   * @throws ApiException 503 if none is within 20 s
   */
  ObjectNode progress() {
    try {
      final boolean progresses = engine.stats().running() > 0 ? stepsGoOn() : isTokenMade();
      if (progresses) {
        return Json.object().put("status", "ok");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw ApiException.of(
        503, "no_progress", "the engine must make a token within " + PROGRESS.toSeconds() + " s");
  }

  private boolean stepsGoOn() throws InterruptedException {
    final long steps = engine.stats().steps();
    final long deadlineNs = System.nanoTime() + PROGRESS.toNanos();
    while (engine.stats().steps() == steps && engine.stats().running() > 0) {
      if (System.nanoTime() > deadlineNs) {
        return false;
      }
      Thread.sleep(POLL);
    }
    return true;
  }

  private boolean isTokenMade() throws InterruptedException {
    final int[] prompt = model.tokenizer().encode("a", SpecialTokens.ADDED);
    final Request request =
        Request.builder(HEALTH_ID + UUID.randomUUID(), prompt)
            .stopRule(StopRule.maxTokens(1))
            .build();
    final RequestHandle handle = engine.submit(request);
    try {
      final RequestOutcome outcome =
          handle.outcome().toCompletableFuture().get(PROGRESS.toSeconds(), TimeUnit.SECONDS);
      return outcome instanceof RequestOutcome.Finished finished && finished.cause() == null;
    } catch (ExecutionException | TimeoutException e) {
      handle.cancel();
      return false;
    }
  }
}
