package dev.headway.cuda.executor;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import java.util.function.Function;

/**
 * Makes the KV cache last, of the memory that everything else leaves: the code of kernels, what the
 * library of products takes, and the recordings. A recording holds addresses of the cache, so all
 * of them are made twice where the cache takes what is left: over a cache of the null block, to see
 * what they take, and over the real one. Device thread only.
 */
final class CacheStart {
  private final CudaDevice device;
  private final CudaStream stream;
  private final ExecutorOptions options;
  private final ForwardShape cut;
  private final PageFormat format;
  private final Function<PagedKvCache, ForwardPass> passes;

  /**
   * Collects what it needs.
   *
   * @param passes makes the forward pass over a cache
   */
  CacheStart(
      CudaDevice device,
      CudaStream stream,
      ExecutorOptions options,
      ForwardShape cut,
      PageFormat format,
      Function<PagedKvCache, ForwardPass> passes) {
    this.device = device;
    this.stream = stream;
    this.options = options;
    this.cut = cut;
    this.format = format;
    this.passes = passes;
  }

  /**
   * What a start ends with.
   *
   * @param shape of the cache
   * @param pages the cache
   * @param forward the pass over it, of which {@code graphs} are recordings
   */
  record Ready(KvCacheShape shape, PagedKvCache pages, ForwardPass forward) {}

  /** Warms up, sizes and takes the cache, records. */
  Ready start(DeviceWarmUp warmUp, GraphCache graphs) {
    final long freeBytes = launchAll(warmUp, graphs);
    final KvCacheShape shape =
        KvSizing.size(
            options,
            cut.layers(),
            PagedKvCache.bytesPerBlock(cut.attention(), cut.layers().slots(), format.type()),
            freeBytes,
            device.info().totalBytes());
    final PagedKvCache pages = cache(shape.numBlocks(), options.hostBlocks());
    final ForwardPass forward = passes.apply(pages);
    warmUp.record(forward, graphs);
    return new Ready(shape, pages, forward);
  }

  /** Returns the bytes that are left for the cache. */
  private long launchAll(DeviceWarmUp warmUp, GraphCache graphs) {
    try (PagedKvCache nullBlock = cache(1, 0)) {
      final ForwardPass pass = passes.apply(nullBlock);
      warmUp.launchAll(pass);
      if (options.kvBlocks() == 0) {
        warmUp.record(pass, graphs);
        stream.synchronize(); // until they are there, and none is in use
      }
      final long freeBytes = device.freeBytes() + nullBlock.bytes();
      graphs.clear();
      return freeBytes;
    }
  }

  private PagedKvCache cache(int blocks, int hostBlocks) {
    return new PagedKvCache(device, stream, cut, blocks, hostBlocks, format);
  }
}
