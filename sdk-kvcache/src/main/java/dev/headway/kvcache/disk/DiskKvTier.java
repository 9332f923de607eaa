package dev.headway.kvcache.disk;

import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.kvcache.connector.BlockRelease;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.kvcache.connector.KvRole;
import dev.headway.api.kvcache.connector.TransferSink;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.RequestView;
import dev.headway.kvcache.wire.VllmBlockHasher;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the whole blocks of requests that have ended in files of a folder, up to so many bytes, and
 * loads them for requests that begin with the same tokens: also after a restart, and for other
 * engines that run the same model. Least recently used blocks go first; after a restart, those
 * written first.
 *
 * <p>Files are read and written on threads of its own, while requests wait with the reason {@code
 * remote_kv} and blocks of ended ones are kept; the engine's thread touches no file. A block that
 * cannot be read, or is not what was written, is a failed load: its request computes it. A block
 * that cannot be written is not there. All is counted in {@link #stats}.
 *
 * <p>Blocks are named as vLLM names them ({@link VllmBlockHasher}), with the model and the layout
 * of the bytes in the seed: a folder may have blocks of several models, and none is found by
 * another. Salts, adapters and items keep requests apart as in the prefix cache.
 *
 * <p>One engine, and one process, uses a folder at a time.
 *
 * {@snippet :
 * DiskKvTier tier =
 *     DiskKvTier.builder(Path.of("kv"), executor.kvBlockAccess(), executor.shape().kvCache())
 *         .model("llama-3.2-1b@4e20de3")
 *         .maxBytes(50L << 30)
 *         .open();
 * Engine engine = HeadwayEngine.builder(executor).kvConnector(tier).build();
 * }
 */
public final class DiskKvTier implements KvConnector {

  private final DiskKvTierBuilder options;
  private final FolderLock folder;
  private final BlockFiles files;
  private final BlockIndex index;
  private final DiskCounters counters = new DiskCounters();
  private final VllmBlockHasher hasher;
  private final int blockSize;
  private final ExecutorService loads;
  private final ExecutorService saves;
  private final AtomicInteger pendingSaves = new AtomicInteger();

  /** From the first lookup to the end. Engine thread only. */
  private final Map<Long, DiskRequest> requests = new HashMap<>();

  private @Nullable DiskParts parts;

  DiskKvTier(
      DiskKvTierBuilder options, FolderLock folder, ExecutorService loads, ExecutorService saves)
      throws IOException {
    this.options = options;
    this.folder = folder;
    this.loads = loads;
    this.saves = saves;
    files = new BlockFiles(options.folder());
    index = new BlockIndex(options.maxBytes());
    blockSize = options.blockSize();
    hasher = VllmBlockHasher.withSeed(blockSize, options.seed());
    for (BlockFiles.Found found : files.scan()) {
      index.add(found.name(), found.bytes());
    }
    while (index.isOver()) {
      final BlockIndex.Entry eldest = Objects.requireNonNull(index.evict());
      files.delete(eldest.name());
      index.deleted(eldest);
    }
  }

  /**
   * Starts a tier.
   *
   * @param folder made if it is not there
   * @param blocks of the engine's executor
   * @param shape of the engine's KV cache: one group with full attention
   */
  public static DiskKvTierBuilder builder(Path folder, KvBlockAccess blocks, KvCacheShape shape) {
    return new DiskKvTierBuilder(folder, blocks, shape);
  }

  /** What it has, and has done. Any thread. */
  public DiskKvTierStats stats() {
    return new DiskKvTierStats(
        index.blocks(),
        index.usedBytes(),
        counters.saved.sum(),
        counters.loaded.sum(),
        counters.evicted.sum(),
        counters.corrupt.sum(),
        counters.failedReads.sum(),
        counters.failedWrites.sum(),
        counters.skippedSaves.sum());
  }

  @Override
  public KvRole role() {
    return KvRole.BOTH;
  }

  @Override
  public void start(TransferSink sink) {
    parts = new DiskParts(options.blocks(), files, index, counters, sink);
  }

  private DiskParts parts() {
    return Objects.requireNonNull(parts, "start must be called first");
  }

  @Override
  public void lookup(RequestView request, int localTokens, ExternalTokens answer) {
    if (request.request().prefixReuse() == PrefixReuse.SKIPPED) {
      return;
    }
    final DiskRequest known =
        requests.computeIfAbsent(request.number(), number -> new DiskRequest(index));
    known.unpin();
    final BlockNameChain names = known.names(hasher, request);
    final int blocks = request.knownTokens() / blockSize;
    int block = localTokens / blockSize;
    while (block < blocks && known.pin(names.name(request, block))) {
      block++;
    }
    answer.ahead(known.pinned() * blockSize);
  }

  @Override
  public void admitted(RequestView request, KvSequence table, int externalTokens) {
    final DiskRequest known = requests.get(request.number());
    if (known == null) {
      return; // it skips prefixes
    }
    known.isLoading = externalTokens > 0;
    final int[] targets = new int[(externalTokens + blockSize - 1) / blockSize];
    final List<BlockIndex.Entry> entries = known.takePinned(targets.length);
    if (targets.length > 0) {
      table.copyBlockIds(0, table.blockCount(0) - targets.length, targets, 0, targets.length);
      final DiskLoad load =
          new DiskLoad(request.number(), entries, targets, parts(), this::discardLater);
      known.load = load;
      loads.execute(load);
    }
  }

  /** Deletes where files are written, so that a new one of that name is not. */
  private void discardLater(BlockIndex.Entry entry) {
    saves.execute(
        () -> {
          if (index.discard(entry)) {
            DiskSave.delete(entry, parts());
          }
        });
  }

  @Override
  public BlockRelease requestFinished(
      RequestView request, KvSequence table, int computedTokens, FinishReason reason) {
    final DiskRequest known =
        Objects.requireNonNullElseGet(
            requests.remove(request.number()), () -> new DiskRequest(index));
    known.end();
    final boolean isComplete = reason == FinishReason.STOP || reason == FinishReason.LENGTH;
    if (!isComplete || known.isLoading) {
      return BlockRelease.NOW;
    }
    final int answered = computedTokens - request.inFlightTokens(); // steps that are out may fail
    final int blocks = Math.min(answered, request.knownTokens() - 1) / blockSize;
    final BlockNameChain names = known.names(hasher, request);
    final List<String> unsaved = new ArrayList<>();
    final int[] sources = new int[blocks];
    for (int block = 0; block < blocks; block++) {
      if (index.beginSave(names.name(request, block))) {
        sources[unsaved.size()] = table.blockId(0, block);
        unsaved.add(names.name(request, block));
      }
    }
    return save(request.number(), unsaved, Arrays.copyOf(sources, unsaved.size()));
  }

  private BlockRelease save(long requestNumber, List<String> names, int[] blocks) {
    if (blocks.length == 0) {
      return BlockRelease.NOW;
    }
    if (pendingSaves.get() + blocks.length > options.maxPendingSaves()) {
      names.forEach(index::notSaved);
      counters.skippedSaves.add(blocks.length);
      return BlockRelease.NOW;
    }
    pendingSaves.addAndGet(blocks.length);
    final DiskSave save = new DiskSave(requestNumber, names, blocks, parts());
    saves.execute(
        () -> {
          try {
            save.run();
          } finally {
            pendingSaves.addAndGet(-blocks.length);
          }
        });
    return BlockRelease.WHEN_SENT;
  }

  /** Ends loads, and waits until what is being saved is saved. */
  @Override
  public void close() {
    requests.values().forEach(DiskRequest::cancelLoad);
    loads.close();
    saves.close();
    folder.close();
  }
}
