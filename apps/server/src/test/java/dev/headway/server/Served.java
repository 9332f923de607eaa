package dev.headway.server;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.RequestTimeouts;
import dev.headway.http.RawClient;
import dev.headway.probes.otel.metric.Metrics;
import dev.headway.scheduler.engine.EngineBuilder;
import dev.headway.scheduler.engine.ExecutorFailurePolicy;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.serving.ServedModel;
import dev.headway.serving.chat.BuiltInTemplate;
import dev.headway.serving.chat.ChatTemplate;
import dev.headway.serving.tokenizer.ByteTokenizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server on the loopback address around a real engine, and a client of it. */
final class Served implements AutoCloseable {

  static final String MODEL = "test-model";
  static final ExecutorChoice REFERENCE =
      new ExecutorChoice(ExecutorChoice.Backend.REFERENCE, 1, List.of());
  private static final JsonMapper JSON = JsonMapper.shared();

  final Engine engine;
  final OpenAiServer server;
  private final HttpClient client = HttpClient.newHttpClient();

  private Served(Engine engine, OpenAiServer server) {
    this.engine = engine;
    this.server = server;
  }

  static ExecutorSizes sizes(int numBlocks) {
    return new ExecutorSizes(16, numBlocks, 0, 16, 256, 1_024, 0.9);
  }

  /** What differs from test to test. */
  static final class Setup {
    int maxNumSeqs = 16;
    int maxModelLen = 1_024;
    int maxQueued;
    ChatTemplate chatTemplate = BuiltInTemplate.PLAIN;
    Metrics metrics;

    /** Whose tokenizer the model has; null for bytes. */
    ModelSource source;

    List<LoraAdapter> adapters = List.of();

    Duration stallThreshold = Duration.ofMinutes(5);
    RequestTimeouts timeouts = RequestTimeouts.NONE;
    ExecutorFailurePolicy onFailure = ExecutorFailurePolicy.CONTINUE;
    PrefixCacheOptions prefixCache = PrefixCacheOptions.DEFAULT;
    UnaryOperator<ServerOptions> options = usual -> usual;
    final List<Probe> probes = new ArrayList<>();

    Setup probe(Probe probe) {
      probes.add(probe);
      return this;
    }

    Served start(Executor executor) {
      final SchedulerConfig config =
          SchedulerConfig.builder(
                  SchedulerLimits.builder()
                      .maxNumSeqs(maxNumSeqs)
                      .maxNumBatchedTokens(256)
                      .maxModelLen(maxModelLen)
                      .build())
              .queueLimits(new QueueLimits(maxQueued, 0))
              .prefixCache(prefixCache)
              .build();
      final EngineBuilder builder =
          HeadwayEngine.builder(executor)
              .config(config)
              .stallThreshold(stallThreshold)
              .defaultTimeouts(timeouts)
              .onExecutorFailure(onFailure);
      probes.forEach(builder::probe);
      final Engine engine = builder.build();
      engine.start(task -> Thread.ofPlatform().daemon().name("engine-under-test").unstarted(task));
      final ServedModel model =
          source != null
              ? source.served(MODEL, maxModelLen)
              : new ServedModel(
                  MODEL,
                  new ByteTokenizer(),
                  chatTemplate,
                  new int[] {ByteTokenizer.EOS},
                  ByteTokenizer.VOCABULARY_SIZE,
                  maxModelLen);
      try {
        return new Served(
            engine,
            OpenAiServer.start(
                engine,
                model.withAdapters(adapters),
                options.apply(ServerOptions.loopback(0)),
                metrics == null ? null : metrics::text));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  static Served of(Executor executor, Probe... probes) {
    final Setup setup = new Setup();
    setup.probes.addAll(List.of(probes));
    return setup.start(executor);
  }

  URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.address().getPort() + path);
  }

  /** A client that sends bytes as they are. */
  RawClient raw() throws IOException {
    return RawClient.connect(server.address().getPort());
  }

  HttpResponse<String> get(String path) {
    return send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
  }

  HttpResponse<String> send(String method, String path, String... headers) {
    final HttpRequest.Builder builder =
        HttpRequest.newBuilder(uri(path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .headers(headers);
    return send(builder.build(), BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String body, String... headers) {
    return send(request(path, body, headers), BodyHandlers.ofString());
  }

  /** The parsed body of an answer that must be 200. */
  JsonNode answer(String path, String body) {
    final HttpResponse<String> response = post(path, body);
    if (response.statusCode() != 200) {
      throw new AssertionError(response.statusCode() + " " + response.body());
    }
    return json(response.body());
  }

  /** Lines of a stream as they come; closing it goes away. */
  HttpResponse<Stream<String>> stream(String path, String body, String... headers) {
    return send(request(path, body, headers), BodyHandlers.ofLines());
  }

  /** The events of a whole stream, the last of which must be [DONE]. */
  List<JsonNode> events(String path, String body) {
    return events(stream(path, body));
  }

  static List<JsonNode> events(HttpResponse<Stream<String>> response) {
    final List<String> lines =
        response.body().filter(line -> line.startsWith("data: ")).map(l -> l.substring(6)).toList();
    if (lines.isEmpty() || !lines.getLast().equals("[DONE]")) {
      throw new AssertionError("a stream must end with [DONE]: " + lines);
    }
    return lines.subList(0, lines.size() - 1).stream().map(Served::json).toList();
  }

  static JsonNode json(String text) {
    return JSON.readTree(text);
  }

  private HttpRequest request(String path, String body, String... headers) {
    final HttpRequest.Builder builder =
        HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.ofString(body));
    if (!List.of(headers).contains("Content-Type")) {
      builder.header("Content-Type", "application/json");
    }
    for (int i = 0; i < headers.length; i += 2) {
      builder.header(headers[i], headers[i + 1]);
    }
    return builder.build();
  }

  private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    try {
      return client.send(request, handler);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
    server.close();
    try {
      engine.close(Duration.ofSeconds(10)); // a failed test leaves its executor held
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
