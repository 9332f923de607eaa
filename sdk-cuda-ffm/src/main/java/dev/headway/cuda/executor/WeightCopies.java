package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaEvent;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.Mxfp4Codes;
import dev.headway.executor.model.QuantizedMatrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Supplier;

/**
 * Moves weights to the device through two pinned chunks: one is read from the model while the other
 * is copied. Closing waits for the copies and frees the chunks.
 */
final class WeightCopies implements WeightSink, AutoCloseable {
  private static final long CHUNK_BYTES = 32L << 20;
  private static final long LEAST_CHUNK_BYTES = 8;

  /** The codes that are no numbers have all of these bits. */
  private static final long NAN_BITS = 0x7f7f7f7f7f7f7f7fL;

  private static final long ONES = 0x0101010101010101L;
  private static final long SIGNS = ~NAN_BITS;

  private final CudaStream stream;
  private final ModelWeights weights;
  private final DeviceBuffer target;
  private final PinnedBuffer[] chunks = new PinnedBuffer[2];
  private final CudaEvent[] copied = new CudaEvent[2];
  private final long chunkBytes;
  private int turn;

  WeightCopies(CudaDevice device, CudaStream stream, ModelWeights weights, DeviceBuffer target) {
    this(device, stream, weights, target, CHUNK_BYTES);
  }

  /** With chunks of so many bytes at most; a band of MXFP4 must have room in one. */
  WeightCopies(
      CudaDevice device,
      CudaStream stream,
      ModelWeights weights,
      DeviceBuffer target,
      long mostChunkBytes) {
    this.stream = stream;
    this.weights = weights;
    this.target = target;
    chunkBytes =
        Math.clamp(target.bytes(), LEAST_CHUNK_BYTES, mostChunkBytes)
            / LEAST_CHUNK_BYTES
            * LEAST_CHUNK_BYTES;
    for (int i = 0; i < chunks.length; i++) {
      chunks[i] = device.allocatePinned(MemoryUse.of("weight upload"), chunkBytes);
      copied[i] = device.newEvent();
    }
  }

  /** Fills a chunk with bytes from [from, from + bytes) of what is copied. */
  private interface Filling {
    void fill(MemorySegment chunk, long from, long bytes);
  }

  private void copy(long at, long bytes, Filling filling) {
    copy(at, bytes, 1, filling);
  }

  /** Copies in pieces of a multiple of {@code unit} bytes, which a chunk has room for. */
  private void copy(long at, long bytes, long unit, Filling filling) {
    final long most = chunkBytes / unit * unit;
    for (long from = 0; from < bytes; from += most) {
      final long some = Math.min(most, bytes - from);
      final int chunk = turn++ & 1;
      copied[chunk].synchronize();
      filling.fill(chunks[chunk].segment(), from, some);
      stream.copyToDevice(target, at + from, chunks[chunk], 0, some);
      stream.record(copied[chunk]);
    }
  }

  @Override
  public void bf16(String tensor, long at, long elements) {
    copy(
        at,
        2 * elements,
        (chunk, from, bytes) -> weights.readBf16(tensor, from / 2, chunk, bytes / 2));
  }

  @Override
  public void codes(String tensor, QuantizedMatrix matrix, long at) {
    copy(
        at,
        (long) matrix.rows() * matrix.columns(),
        (chunk, from, bytes) -> {
          matrix.readCodes(from, chunk, bytes);
          final long notFinite = firstNan(chunk, bytes);
          if (notFinite >= 0) {
            throw new IllegalArgumentException(
                "weights must be finite: tensor='"
                    + tensor
                    + "', row="
                    + (from + notFinite) / matrix.columns()
                    + ", column="
                    + (from + notFinite) % matrix.columns()
                    + ", weight=NaN");
          }
        });
  }

  /** The first code that is no number; -1 if all are. */
  private static long firstNan(MemorySegment codes, long count) {
    for (long i = 0; i < count; i++) {
      if (i % Long.BYTES == 0 && i + Long.BYTES <= count) { // eight at once
        final long eight = codes.get(ValueLayout.JAVA_LONG, i) & NAN_BITS;
        if (((eight + ONES) & SIGNS) == 0) {
          i += Long.BYTES - 1;
          continue;
        }
      }
      if ((codes.get(ValueLayout.JAVA_BYTE, i) & 0x7f) == 0x7f) {
        return i;
      }
    }
    return -1;
  }

  @Override
  public void mxfp4(String tensor, Mxfp4Codes matrix, long at) {
    final Mxfp4Bands bands = new Mxfp4Bands(tensor, matrix);
    copy(at, bands.bytes(), bands.bandBytes(), bands::write);
  }

  @Override
  public void floats(long at, int count, Supplier<float[]> values) {
    final float[] all = values.get();
    copy(
        at,
        (long) Float.BYTES * count,
        (chunk, from, bytes) ->
            MemorySegment.copy(
                all,
                (int) (from / Float.BYTES),
                chunk,
                ValueLayout.JAVA_FLOAT,
                0,
                (int) (bytes / Float.BYTES)));
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
