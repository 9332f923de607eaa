package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.kernel.AttentionShape;
import dev.headway.cuda.kernel.LayerCache;

/**
 * Keys and values of all layers on the device: {@code [layer][keys, values][block][kvHead][slot]
 * [headDim]}, bf16. Which block belongs to whom is the scheduler's business.
 *
 * <p>Every element is NaN until written: a read before the write shows as a failed request, not as
 * a slightly wrong one.
 */
final class PagedKvCache {
  private final DeviceBuffer pages;
  private final LayerCache[] layers;
  private final long blockBytes;
  private final long planeBytes;

  PagedKvCache(
      CudaDevice device, CudaStream stream, AttentionShape shape, int layerCount, int blocks) {
    blockBytes = shape.cacheBytes(1);
    planeBytes = shape.cacheBytes(blocks);
    pages = device.allocate(new MemoryUse("KV cache", "kvBlocks"), 2L * layerCount * planeBytes);
    stream.fill(pages, 0, pages.bytes(), (byte) 0xff);
    layers = new LayerCache[layerCount];
    for (int layer = 0; layer < layerCount; layer++) {
      final long keys = pages.address(2L * layer * planeBytes, 2 * planeBytes);
      layers[layer] = new LayerCache(keys, keys + planeBytes);
    }
  }

  /** Memory of a block over all layers, in bytes. */
  static long bytesPerBlock(AttentionShape shape, int layerCount) {
    return 2L * layerCount * shape.cacheBytes(1);
  }

  LayerCache layer(int index) {
    return layers[index];
  }

  /** Enqueues zeroing, then copying, in the order of the plan. */
  void workOnBlocks(CudaStream stream, BatchPlan plan) {
    for (int i = 0; i < plan.zeroedCount(); i++) {
      for (int plane = 0; plane < 2 * layers.length; plane++) {
        stream.fill(pages, at(plane, plan.zeroed(i)), blockBytes, (byte) 0);
      }
    }
    for (int i = 0; i < plan.copyCount(); i++) {
      for (int plane = 0; plane < 2 * layers.length; plane++) {
        final long target = at(plane, plan.copyTarget(i));
        stream.copy(pages, target, pages, at(plane, plan.copySource(i)), blockBytes);
      }
    }
  }

  private long at(int plane, int block) {
    return plane * planeBytes + block * blockBytes;
  }
}
