package dev.headway.examples.prefilldecode;

import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.kvcache.connector.BlockRelease;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.kvcache.connector.KvRole;
import dev.headway.api.kvcache.connector.TransferSink;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * The connector of the engine that generates: fetches the KV of a prompt from the engine that its
 * request names, once, into blocks of its own. A preempted request is computed here.
 */
public final class DecodeConnector implements KvConnector {

  private final KvBlockAccess blocks;
  private final int blockSize;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /** By number, from the admission to the end. Engine thread only. */
  private final Map<Long, BlockFetch> fetches = new HashMap<>();

  private @Nullable TransferSink sink;

  /**
   * Makes a connector.
   *
   * @param blocks of the engine's executor
   * @param blockSize tokens of a block
   */
  public DecodeConnector(KvBlockAccess blocks, int blockSize) {
    this.blocks = blocks;
    this.blockSize = blockSize;
  }

  @Override
  public KvRole role() {
    return KvRole.CONSUMER;
  }

  @Override
  public void start(TransferSink given) {
    sink = given;
  }

  // @start region="fetch"
  @Override
  public void lookup(RequestView request, int local, ExternalTokens answer) {
    final boolean fetched = fetches.containsKey(request.number());
    if (!fetched && TransferParams.isToBeFetched(request.request())) {
      answer.ahead(Math.max(0, request.promptTokens() - 1 - local)); // the last is computed here
    }
  }

  @Override
  public void admitted(RequestView request, KvSequence table, int externalTokens) {
    if (externalTokens == 0) {
      return;
    }
    final int[] targets = new int[(externalTokens + blockSize - 1) / blockSize];
    final int from = table.blockCount(0) - targets.length; // behind the local ones
    table.copyBlockIds(0, from, targets, 0, targets.length);
    final BlockFetch fetch = new BlockFetch(request, from, targets, blocks, sink());
    fetches.put(request.number(), fetch);
    threads.execute(fetch);
  }

  // @end

  private TransferSink sink() {
    return Objects.requireNonNull(sink, "start must be called first");
  }

  @Override
  public BlockRelease requestFinished(
      RequestView request, KvSequence table, int computedTokens, FinishReason reason) {
    final BlockFetch fetch = fetches.remove(request.number());
    if (fetch != null) {
      fetch.cancel(); // if it is out, it reports that it writes no more
    } else if (TransferParams.isToBeFetched(request.request())) {
      threads.execute(BlockFetch.ofNothing(request, blocks)); // or they would be kept in vain
    }
    return BlockRelease.NOW;
  }

  @Override
  public void close() {
    fetches.values().forEach(BlockFetch::cancel);
    threads.close(); // waits for those that write
  }
}
