package dev.headway.executor.model;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Weights in mapped files: the operating system reads pages as they are asked for. */
final class MappedWeights implements ModelWeights {

  private final Arena arena;
  private final Map<String, StoredTensor> tensors;
  private final EightBitKv eightBitKv;
  private final String notRead;

  /**
   * Takes tensors of mapped files.
   *
   * @param arena closed with the weights
   */
  MappedWeights(
      Arena arena, Map<String, StoredTensor> tensors, EightBitKv eightBitKv, String notRead) {
    this.arena = arena;
    this.tensors = tensors;
    this.eightBitKv = eightBitKv;
    this.notRead = notRead;
  }

  @Override
  public EightBitKv eightBitKv() {
    return eightBitKv;
  }

  @Override
  public String notRead() {
    return notRead;
  }

  @Override
  public WeightType type(String tensor) {
    return stored(tensor).type();
  }

  @Override
  public void read(String tensor, long from, float[] target, int offset, int length) {
    final StoredTensor stored = stored(tensor);
    Objects.checkFromIndexSize(from, length, stored.spec().elements());
    Objects.checkFromIndexSize(offset, length, target.length);
    stored.read(from, target, offset, length);
  }

  @Override
  public void readBf16(String tensor, long from, MemorySegment target, long length) {
    final StoredTensor stored = stored(tensor);
    Objects.checkFromIndexSize(from, length, stored.spec().elements());
    final MemorySegment bytes = stored.bytes();
    if (stored.type() == WeightType.BF16 && bytes != null) {
      MemorySegment.copy(bytes, 2 * from, target, 0, 2 * length);
    } else {
      ModelWeights.super.readBf16(tensor, from, target, length);
    }
  }

  @Override
  public Optional<QuantizedMatrix> quantized(String tensor) {
    return Optional.ofNullable(stored(tensor).quantized());
  }

  private StoredTensor stored(String tensor) {
    final StoredTensor stored = tensors.get(tensor);
    if (stored == null) {
      throw new IllegalArgumentException("the model must have the tensor: tensor='" + tensor + "'");
    }
    return stored;
  }

  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
