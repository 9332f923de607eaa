package dev.headway.cli.serve;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.executor.Executor;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.request.LoraAdapter;
import dev.headway.cli.command.ListenOptions;
import dev.headway.cli.command.OptionNames;
import dev.headway.http.ApiKeys;
import dev.headway.server.ExecutorChoice;
import dev.headway.server.ModelSource;
import dev.headway.server.ServerOptions;
import dev.headway.toolbox.text.Human;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What the server says when it is ready: one block that shows all that was chosen. */
final class StartUp {

  private static final double MIB = 1 << 20;

  private StartUp() {}

  static String of(
      ModelSource source,
      String name,
      ExecutorChoice choice,
      Executor executor,
      SchedulerConfig config,
      ServeEngineOptions engine,
      ServeAdapterOptions adapters,
      WatchOptions.Watchers watchers,
      ServerOptions options,
      InetSocketAddress address) {
    final StringBuilder text = new StringBuilder("\n");
    final String url = ListenOptions.url(address, options.tls());
    final boolean isRun = choice.backend() != ExecutorChoice.Backend.SIMULATED;
    line(
        text,
        "model",
        isRun ? source.describe() : source.name() + ", its tokenizer and chat template only");
    line(text, "tokenizer", source.tokenizer().name());
    line(text, "chat", source.chatTemplate().describe());
    line(
        text,
        "executor",
        OptionNames.ofTheJvm(choice.describe())
            + (executor.shape().maxStepsInFlight() == 1 ? "" : ", two steps in flight"));
    new TreeMap<>(executor.attributes()).forEach((what, value) -> line(text, what, value));
    final KvCacheShape cache = executor.shape().kvCache();
    if (isRun) {
      line(
          text,
          "weights",
          Human.bytes(
                  (double)
                      source.weightBytes(
                          choice.backend(), cache.blockSize(), config.limits().maxModelLen()))
              + " in memory");
    }
    if (!adapters.names().isEmpty()) {
      line(
          text,
          "adapters",
          adapters.names().stream().map(LoraAdapter::name).collect(Collectors.joining(", ")));
    }
    line(text, "KV cache", kvCache(cache, config));
    if (!engine.blockNames().isEmpty()) {
      line(text, "block names", engine.blockNames());
    }
    line(text, "limits", limits(config));
    final String policy = engine.policy().text();
    line(text, "policy", policy.isEmpty() ? "fcfs" : policy);
    line(
        text,
        "watching",
        watchers.described().isEmpty()
            ? "nothing (--journal DIR, --metrics, --dashboard, --probe NAME)"
            : String.join(", ", watchers.described()));
    line(
        text,
        "address",
        url
            + "/v1 ("
            + (address.getAddress().isLoopbackAddress() ? "this machine only" : "open to others")
            + ", "
            + (options.access().keys().isEmpty() ? "no API key" : "API key required")
            + ")");
    text.append("\n  ").append(curl(url, name, options.access().keys())).append("\n\n");
    return text.toString();
  }

  /** A first request to paste; a key is the reader's to fill in, since none is ever printed. */
  static String curl(String url, String model, ApiKeys keys) {
    return "curl "
        + url
        + "/v1/completions"
        + (keys.isEmpty() ? "" : " -H 'Authorization: Bearer KEY'")
        + " -H 'Content-Type: application/json' -d '{\"model\": \""
        + model
        + "\", \"prompt\": \"Once upon a time\", \"max_tokens\": 32}'";
  }

  static String kvCache(KvCacheShape shape, SchedulerConfig config) {
    final SchedulerLimits limits = config.limits();
    final int hostBlocks = config.kvOffload().hostBlocks();
    final int usual = ModelFit.usualRequest(limits.maxModelLen());
    final int held = shape.blocksToHold(usual, limits.maxNumBatchedTokens(), limits.maxModelLen());
    return String.format(
        Locale.ROOT,
        "%,d blocks of %d tokens%s, %s%,d %s of %,d%s",
        shape.usableBlocks(),
        shape.blockSize(),
        tokensOrGroups(shape),
        mebibytes("", shape.numBlocks(), shape, ", "),
        shape.usableBlocks() / held,
        requests(shape.usableBlocks() / held),
        usual,
        hostBlocks == 0 ? "" : hostTier(hostBlocks, shape));
  }

  private static String requests(int count) {
    return count == 1 ? "request" : "requests";
  }

  /** How many tokens fit, where each takes as much as any other: windows give blocks back. */
  private static String tokensOrGroups(KvCacheShape shape) {
    final List<KvGroup> groups = shape.groups();
    if (groups.size() == 1 && groups.getFirst() instanceof KvGroup.FullAttention) {
      return String.format(
          Locale.ROOT, ": %,d tokens", (long) shape.usableBlocks() * shape.blockSize());
    }
    final long windows = groups.stream().filter(KvGroup.SlidingWindow.class::isInstance).count();
    return " for " + groups.size() + " groups of layers, " + windows + " with a window";
  }

  private static String hostTier(int blocks, KvCacheShape shape) {
    return String.format(
        Locale.ROOT, "; %,d more in host memory%s", blocks, mebibytes(", ", blocks, shape, ""));
  }

  /** The memory of some blocks; nothing where they have none, as simulated ones. */
  private static String mebibytes(String before, int blocks, KvCacheShape shape, String after) {
    return shape.bytesPerBlock().isEmpty()
        ? ""
        : before
            + String.format(
                Locale.ROOT, "%.1f MiB", (double) blocks * shape.bytesPerBlock().getAsLong() / MIB)
            + after;
  }

  static String limits(SchedulerConfig config) {
    final int queued = config.queueLimits().maxNumQueuedReqs();
    return String.format(
        Locale.ROOT,
        "%,d %s at once, %,d tokens a step, context of %,d tokens, %s alive",
        config.limits().maxNumSeqs(),
        requests(config.limits().maxNumSeqs()),
        config.limits().maxNumBatchedTokens(),
        config.limits().maxModelLen(),
        queued == 0 ? "any number" : String.format(Locale.ROOT, "%,d", queued));
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append(String.format(Locale.ROOT, "  %-11s %s%n", name, value));
  }
}
