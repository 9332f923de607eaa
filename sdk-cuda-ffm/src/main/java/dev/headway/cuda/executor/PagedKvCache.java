package dev.headway.cuda.executor;

import dev.headway.api.step.BlockOperations;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.kernel.AttentionKernelShape;
import dev.headway.cuda.kernel.LayerCache;
import dev.headway.executor.model.KvLayers;
import org.jspecify.annotations.Nullable;

/**
 * Keys and values of all layers on the device: {@code [block][layer][keys, values][kvHead][slot]
 * [headDim]}, bf16 or codes. The layers of a block are those of one group ({@link KvLayers}).
 * Blocks are assigned to requests by the scheduler.
 *
 * <p>All layers of a block lie together, so that it is saved, loaded, zeroed and copied by one call
 * of the driver each, and not by one per layer.
 *
 * <p>Every element is NaN until written: a read before the write shows as a failed request, not as
 * a slightly wrong one.
 */
final class PagedKvCache implements AutoCloseable {
  private final DeviceBuffer pages;
  private final @Nullable HostKvBlocks host;
  private final LayerCache[] layers;
  private final long blockBytes;

  /**
   * Takes the memory.
   *
   * @param hostBlocks blocks in host memory, 0 for none
   */
  PagedKvCache(
      CudaDevice device,
      CudaStream stream,
      ForwardShape cut,
      int blocks,
      int hostBlocks,
      PageFormat format) {
    final AttentionKernelShape shape = cut.attention();
    final KvCacheType type = format.type();
    blockBytes = bytesPerBlock(shape, cut.layers().slots(), type);
    pages = device.allocate(new MemoryUse("KV cache", "kvBlocks"), blocks * blockBytes);
    stream.fill(pages, 0, pages.bytes(), (byte) 0xff);
    host = hostBlocks == 0 ? null : new HostKvBlocks(device, hostBlocks, blockBytes);
    final int stride = (int) (blockBytes / type.bytes());
    final long planeBytes = (long) type.bytes() * shape.blockValues();
    layers = new LayerCache[cut.layers().layers()];
    for (int layer = 0; layer < layers.length; layer++) {
      final long keys = pages.address(2L * cut.layers().slot(layer) * planeBytes, 2 * planeBytes);
      layers[layer] = new LayerCache(keys, keys + planeBytes, stride, format.of(layer));
    }
  }

  /**
   * Memory of a block over all layers, in bytes.
   *
   * @throws IllegalArgumentException if it is too large for the kernels to step over
   */
  static long bytesPerBlock(AttentionKernelShape shape, int layerCount, KvCacheType type) {
    final long values = 2L * layerCount * shape.blockValues();
    if (values > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "a KV block must have at most 2^31 - 1 keys and values over all layers: blockSize="
              + shape.blockSize()
              + ", values="
              + values
              + "; lower blockSize");
    }
    return values * type.bytes();
  }

  /** The pages of a layer, where those of other groups may lie too, in other blocks. */
  LayerCache layer(int index) {
    return layers[index];
  }

  /** Enqueues saves, loads, zeroing and copies, in this order. */
  void workOnBlocks(CudaStream stream, BlockOperations work) {
    if (host != null) {
      for (int i = 0; i < work.saves().size(); i++) {
        host.save(stream, pages, at(work.saves().source(i)), work.saves().target(i));
      }
      for (int i = 0; i < work.loads().size(); i++) {
        host.load(stream, work.loads().source(i), pages, at(work.loads().target(i)));
      }
    }
    for (int i = 0; i < work.zeroed().size(); i++) {
      stream.fill(pages, at(work.zeroed().block(i)), blockBytes, (byte) 0);
    }
    for (int i = 0; i < work.copies().size(); i++) {
      stream.copy(
          pages, at(work.copies().target(i)), pages, at(work.copies().source(i)), blockBytes);
    }
  }

  /** Memory on the device. */
  long bytes() {
    return pages.bytes();
  }

  /** Gives the blocks on the device back. */
  @Override
  public void close() {
    pages.close();
  }

  private long at(int block) {
    return block * blockBytes;
  }
}
