package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;

/**
 * The KV blocks in host memory: pinned, so that the device's copy engines reach them. A block lies
 * there as it lies on the device, in one piece.
 *
 * <p>Loading what was never saved is a fault of the plan: in a tier of up to {@value #FILLED_BYTES}
 * bytes it makes the request fail, since every element is NaN until saved. A larger tier is not
 * filled, which would hold up the start, and its content is undefined until saved.
 */
final class HostKvBlocks {
  private static final long FILLED_BYTES = 1L << 30;

  private final PinnedBuffer blocks;
  private final long blockBytes;

  HostKvBlocks(CudaDevice device, int count, long blockBytes) {
    this.blockBytes = blockBytes;
    blocks =
        device.allocatePinned(
            new MemoryUse("KV blocks in host memory", "hostBlocks"), count * blockBytes);
    if (count * blockBytes <= FILLED_BYTES) {
      blocks.segment().fill((byte) 0xff);
    }
  }

  /** Enqueues copying what lies at {@code source} on the device to a host block. */
  void save(CudaStream stream, DeviceBuffer pages, long source, int hostBlock) {
    stream.copyToHost(blocks, hostBlock * blockBytes, pages, source, blockBytes);
  }

  /** Enqueues copying a host block to {@code target} on the device. */
  void load(CudaStream stream, int hostBlock, DeviceBuffer pages, long target) {
    stream.copyToDevice(pages, target, blocks, hostBlock * blockBytes, blockBytes);
  }
}
