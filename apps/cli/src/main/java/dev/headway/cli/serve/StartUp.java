package dev.headway.cli.serve;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.executor.Executor;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.cli.command.ListenOptions;
import dev.headway.cli.command.OptionNames;
import dev.headway.server.ExecutorChoice;
import dev.headway.server.ModelSource;
import dev.headway.server.ServerOptions;
import dev.headway.toolbox.text.Human;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.TreeMap;

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
      WatchOptions.Watchers watchers,
      ServerOptions options,
      InetSocketAddress address) {
    final StringBuilder text = new StringBuilder("\n");
    final String url = ListenOptions.url(address, options.tls());
    line(text, "model", source.describe());
    line(text, "tokenizer", source.tokenizer().name());
    line(text, "chat", source.chatTemplate().describe());
    line(text, "executor", OptionNames.ofTheJvm(choice.describe()));
    new TreeMap<>(executor.attributes()).forEach((what, value) -> line(text, what, value));
    final KvCacheShape cache = executor.shape().kvCache();
    if (choice.backend() != ExecutorChoice.Backend.SIMULATED) {
      line(
          text,
          "weights",
          Human.bytes((double) source.weightBytes(choice.backend(), cache.blockSize()))
              + " in memory");
    }
    line(
        text,
        "KV cache",
        kvCache(cache, config.kvOffload().hostBlocks(), config.limits().maxModelLen()));
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
    text.append("\n  curl ")
        .append(url)
        .append("/v1/completions -H 'Content-Type: application/json'");
    text.append(" -d '{\"model\": \"").append(name);
    text.append("\", \"prompt\": \"Once upon a time\", \"max_tokens\": 32}'\n\n");
    return text.toString();
  }

  private static String kvCache(KvCacheShape shape, int hostBlocks, int maxModelLen) {
    final long tokens = (long) shape.usableBlocks() * shape.blockSize();
    final int usual = ModelFit.usualRequest(maxModelLen);
    return String.format(
        Locale.ROOT,
        "%,d blocks of %d tokens: %,d tokens, %.1f MiB, %,d requests of %,d%s",
        shape.usableBlocks(),
        shape.blockSize(),
        tokens,
        (double) shape.numBlocks() * shape.bytesPerBlock().orElse(0) / MIB,
        shape.usableBlocks() / Math.ceilDiv(usual, shape.blockSize()),
        usual,
        hostBlocks == 0 ? "" : hostTier(hostBlocks, shape));
  }

  private static String hostTier(int blocks, KvCacheShape shape) {
    return String.format(
        Locale.ROOT,
        "; %,d more in host memory, %.1f MiB",
        blocks,
        (double) blocks * shape.bytesPerBlock().orElse(0) / MIB);
  }

  private static String limits(SchedulerConfig config) {
    final int queued = config.queueLimits().maxNumQueuedReqs();
    return String.format(
        Locale.ROOT,
        "%,d requests at once, %,d tokens a step, context of %,d tokens, %s alive",
        config.limits().maxNumSeqs(),
        config.limits().maxNumBatchedTokens(),
        config.limits().maxModelLen(),
        queued == 0 ? "any number" : String.format(Locale.ROOT, "%,d", queued));
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append(String.format(Locale.ROOT, "  %-11s %s%n", name, value));
  }
}
