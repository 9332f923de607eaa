package dev.headway.router.health;

import dev.headway.router.kvcache.CacheFollower;
import dev.headway.router.registry.Backend;
import dev.headway.router.registry.KvEventSource;
import dev.headway.router.registry.WorkerRegistry;
import dev.headway.routing.policy.WorkerLoad;
import dev.headway.routing.timing.HostClock;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks each worker at intervals whether it is well, which models it serves and how loaded it is. A
 * worker that was never asked becomes healthy, or not, with its first answer. Workers without
 * {@code /v1/loads} have no reported load. If KV events are followed, it is asked where it
 * publishes them. Any thread.
 */
public final class HealthChecks implements AutoCloseable {

  private final WorkerRegistry workers;
  private final HealthOptions options;
  private final @Nullable CacheFollower caches;
  private final HttpClient http;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("headway-route-health").daemon().factory());
  private final Map<Backend, Streak> streaks = new ConcurrentHashMap<>();

  /** Successes in a row, or failures as a negative number; and whether a question is open. */
  private static final class Streak {
    private int length;
    private boolean isAsked;
    private boolean isLoadAsked;
    private boolean hasNoLoads;
    private boolean isAskedForEvents;
  }

  /**
   * Begins to ask.
   *
   * @param caches follows the KV events of workers that publish them; null to follow none
   */
  public HealthChecks(
      WorkerRegistry workers, HealthOptions options, @Nullable CacheFollower caches) {
    this.workers = workers;
    this.options = options;
    this.caches = caches;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(options.timeout())
            .build();
    every(options.interval().toNanos(), this::checkAll);
    if (!options.loads().isZero()) {
      every(options.loads().toNanos(), this::askLoads);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it ends with the timer; tasks do not throw
  private void every(long periodNs, Runnable what) {
    timer.scheduleAtFixedRate(what, 0, periodNs, TimeUnit.NANOSECONDS);
  }

  /** Asks now every worker that is not being asked. */
  public void checkSoon() {
    timer.execute(this::checkAll);
  }

  private void checkAll() {
    final List<Backend> all = workers.backends();
    streaks.keySet().retainAll(all);
    if (caches != null) {
      caches.retain(all.stream().map(each -> each.entry().id()).collect(Collectors.toSet()));
    }
    all.forEach(this::check);
  }

  private void check(Backend worker) {
    final Streak streak = streaks.computeIfAbsent(worker, key -> new Streak());
    if (streak.isAsked) {
      return;
    }
    streak.isAsked = true;
    ask(
        worker,
        options.path(),
        answer -> {
          streak.isAsked = false;
          final boolean isWell = answer != null && answer.statusCode() / 100 == 2;
          note(worker, streak, isWell, answer);
          if (isWell && worker.entry().model() == null) {
            askModels(worker);
          }
          follow(worker, streak, isWell);
        });
  }

  private void note(
      Backend worker, Streak streak, boolean isWell, @Nullable HttpResponse<String> answer) {
    final boolean isFirst = streak.length == 0;
    streak.length = isWell ? Math.max(1, streak.length + 1) : Math.min(-1, streak.length - 1);
    if (isWell) {
      worker.breaker().back();
    }
    if (isWell && (isFirst || worker.isHealthy() || streak.length >= options.successes())) {
      worker.health(true, null);
    } else if (!isWell) {
      final String why =
          options.path()
              + (answer == null ? " gave no answer" : " answered " + answer.statusCode());
      final boolean stays = !isFirst && worker.isHealthy() && -streak.length < options.failures();
      worker.health(stays, why);
    }
  }

  /**
   * Each time that it comes back, and while its events cannot be had: it may publish elsewhere, and
   * may have been away between two checks.
   */
  private void follow(Backend worker, Streak streak, boolean isWell) {
    if (caches == null || !isWell) {
      streak.isAskedForEvents = false;
      return;
    }
    if (streak.isAskedForEvents && !caches.isLost(worker.entry().id())) {
      return;
    }
    streak.isAskedForEvents = true;
    final KvEventSource told = worker.entry().kvEvents();
    if (told != null) {
      caches.follow(worker.entry().id(), told);
      return;
    }
    ask(
        worker,
        "/server_info",
        answer -> {
          final KvEventSource source =
              answer == null || answer.statusCode() != 200
                  ? null
                  : KvEventSource.read(
                      read(answer.body()).path("kv_events_config"), worker.entry().host());
          if (source != null && streaks.containsKey(worker)) {
            caches.follow(worker.entry().id(), source);
          }
        });
  }

  private void askModels(Backend worker) {
    ask(
        worker,
        "/v1/models",
        answer -> {
          if (answer != null && answer.statusCode() == 200) {
            final Set<String> models = new HashSet<>();
            read(answer.body())
                .path("data")
                .forEach(each -> models.add(each.path("id").asString("")));
            models.remove("");
            worker.models(models);
          }
        });
  }

  private void askLoads() {
    workers.backends().forEach(this::askLoad);
  }

  private void askLoad(Backend worker) {
    final Streak streak = streaks.get(worker);
    if (streak == null || streak.isLoadAsked || streak.hasNoLoads || !worker.isHealthy()) {
      return;
    }
    streak.isLoadAsked = true;
    ask(
        worker,
        "/v1/loads",
        answer -> {
          streak.isLoadAsked = false;
          if (answer == null) {
            return;
          }
          if (answer.statusCode() != 200) {
            streak.hasNoLoads = answer.statusCode() == 404;
            return;
          }
          report(worker, read(answer.body()));
        });
  }

  private void report(Backend worker, JsonNode loads) {
    long tokens = 0;
    int running = 0;
    int waiting = 0;
    double usage = 0;
    int ranks = 0;
    for (JsonNode rank : loads.path("loads")) {
      tokens += rank.path("num_total_tokens").asLong(rank.path("num_used_tokens").asLong(0));
      running += rank.path("num_running_reqs").asInt(0);
      waiting += rank.path("num_waiting_reqs").asInt(0);
      usage += rank.path("token_usage").asDouble(0);
      ranks++;
    }
    if (ranks > 0) {
      workers.report(
          worker.entry().id(),
          new WorkerLoad(tokens, running, waiting, usage / ranks, HostClock.nanoTime()));
    }
  }

  /** The consumer is called on the timer's thread; with null if there is no answer. */
  @SuppressWarnings("FutureReturnValueIgnored") // failures are answers that did not come
  private void ask(Backend worker, String path, Consumer<@Nullable HttpResponse<String>> consumer) {
    final HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://" + worker.entry().authority() + path))
            .timeout(options.timeout());
    if (options.workerKey() != null) {
      request.header("Authorization", "Bearer " + options.workerKey());
    }
    http.sendAsync(request.build(), BodyHandlers.ofString())
        .handle((answer, failure) -> failure == null ? answer : null)
        .thenAcceptAsync(consumer, timer);
  }

  private static JsonNode read(String body) {
    try {
      return JsonMapper.shared().readTree(body);
    } catch (JacksonException e) {
      return JsonMapper.shared().missingNode();
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
    http.shutdownNow();
  }
}
