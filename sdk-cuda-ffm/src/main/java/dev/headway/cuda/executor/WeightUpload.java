package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaEvent;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.ModelWeights;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Moves tensors to the device through two pinned chunks: one is read from the model while the other
 * is copied. Closing waits for the copies and frees the chunks.
 */
final class WeightUpload implements AutoCloseable {
  /** Where a tensor may begin. */
  static final int ALIGNMENT_BYTES = 256;

  private static final long CHUNK_BYTES = 32L << 20;

  private final CudaStream stream;
  private final ModelWeights weights;
  private final DeviceBuffer target;
  private final PinnedBuffer[] chunks = new PinnedBuffer[2];
  private final CudaEvent[] copied = new CudaEvent[2];
  private final long chunkElements;
  private int turn;
  private int layer = -1;
  private long end;

  WeightUpload(CudaDevice device, CudaStream stream, ModelWeights weights, DeviceBuffer target) {
    this.stream = stream;
    this.weights = weights;
    this.target = target;
    final long bytes = Math.min(CHUNK_BYTES, target.bytes() / 2 * 2);
    chunkElements = bytes / 2;
    for (int i = 0; i < chunks.length; i++) {
      chunks[i] = device.allocatePinned(MemoryUse.of("weight upload"), bytes);
      copied[i] = device.newEvent();
    }
  }

  /** Names given from now on are those of a layer. */
  void enter(int layer) {
    this.layer = layer;
  }

  /** Uploads a tensor of {@code elements} values and returns its device address. */
  long tensor(String name, long elements) {
    align();
    final long address = target.address(end, 2 * elements);
    append(name, elements);
    return address;
  }

  /** What is appended next begins where a tensor may. */
  void align() {
    end = (end + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
  }

  /** Where the next value will lie. */
  long here() {
    return target.address(end, 0);
  }

  /**
   * Uploads a tensor as floats and returns its device address.
   *
   * @param elements at most half of what a chunk holds
   */
  long floats(String name, int elements) {
    align();
    final long bytes = (long) Float.BYTES * elements;
    final long address = target.address(end, bytes);
    final float[] values = new float[elements];
    weights.read(fullName(name), 0, values, 0, elements);
    final int chunk = turn++ & 1;
    copied[chunk].synchronize();
    MemorySegment.copy(values, 0, chunks[chunk].segment(), ValueLayout.JAVA_FLOAT, 0, elements);
    stream.copyToDevice(target, end, chunks[chunk], 0, bytes);
    stream.record(copied[chunk]);
    end += bytes;
    return address;
  }

  private String fullName(String name) {
    return name.startsWith("model.") || name.equals(ModelLayout.OWN_HEAD)
        ? name
        : ModelLayout.inLayer(layer, name);
  }

  /** Uploads a tensor right behind the one before. */
  void append(String name, long elements) {
    final String full = fullName(name);
    for (long from = 0; from < elements; from += chunkElements) {
      final long length = Math.min(chunkElements, elements - from);
      final int chunk = turn++ & 1;
      copied[chunk].synchronize();
      weights.readBf16(full, from, chunks[chunk].segment(), length);
      stream.copyToDevice(target, end, chunks[chunk], 0, 2 * length);
      stream.record(copied[chunk]);
      end += 2 * length;
    }
  }

  @Override
  public void close() {
    stream.synchronize();
    for (int i = 0; i < chunks.length; i++) {
      chunks[i].close();
      copied[i].close();
    }
  }
}
