package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.kernel.LoraKernels;
import dev.headway.executor.model.BFloat16;
import dev.headway.executor.model.LoraDelta;
import dev.headway.executor.model.LoraTarget;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.ModelConfig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The matrices of all adapters on the device, in bf16, in one allocation: of each product that any
 * of them changes, one after the other by {@link AdapterSlots}, in the layout of {@link
 * LoraKernels}. All have the largest rank, filled up with zeros; what an adapter does not change is
 * zeros too.
 */
final class AdapterWeights {
  private final List<Map<AdaptedProduct, Matrices>> layers;
  private final long scales;
  private final long bytes;
  private final int rank;

  private AdapterWeights(
      List<Map<AdaptedProduct, Matrices>> layers, long scales, long bytes, int rank) {
    this.layers = layers;
    this.scales = scales;
    this.bytes = bytes;
    this.rank = rank;
  }

  /**
   * What adapters add to a product of a layer.
   *
   * @param down {@code [adapters][columns][inputs]}, filled up
   * @param up {@code [adapters][rank / 8][outputs][8]}
   * @param columns elements between the two, of all matrices of the product
   * @param second the first output of its second matrix, or all its outputs
   * @param third the first output of its third one, or all its outputs
   */
  record Matrices(
      long down, long up, int inputs, int outputs, int columns, int second, int third) {}

  /** Uploads adapters in the order of their places; when this returns they are there. */
  static AdapterWeights upload(
      CudaDevice device, CudaStream stream, ModelConfig config, List<LoraWeights> adapters) {
    if (adapters.isEmpty()) {
      return new AdapterWeights(List.of(), 0, 0, 0);
    }
    final Layout layout = new Layout(config, adapters);
    final DeviceBuffer target = device.allocate(MemoryUse.of("adapters"), layout.place(0));
    layout.place(target.address());
    try (PinnedBuffer staging =
        device.allocatePinned(MemoryUse.of("adapter upload"), layout.stagingBytes())) {
      final Upload upload = new Upload(stream, target, staging);
      upload.scales(adapters);
      for (int slot = 0; slot < adapters.size(); slot++) {
        for (int layer = 0; layer < config.layers(); layer++) {
          upload.layer(layout, adapters.get(slot), layer, slot);
        }
      }
    }
    return new AdapterWeights(layout.layers, target.address(), target.bytes(), layout.rank);
  }

  /** What adapters add to a product of a layer; null if none does. */
  @Nullable Matrices of(int layer, AdaptedProduct product) {
    return layers.isEmpty() ? null : layers.get(layer).get(product);
  }

  /** What each adapter multiplies by, {@code float[adapters]}. */
  long scales() {
    return scales;
  }

  /** Memory on the device; 0 without adapters. */
  long bytes() {
    return bytes;
  }

  /** Elements between the two matrices, filled up; 0 without adapters. */
  int rank() {
    return rank;
  }

  /** Most elements between the two matrices of any product; 0 without adapters. */
  int mostColumns() {
    return layers.stream()
        .flatMap(layer -> layer.values().stream())
        .mapToInt(Matrices::columns)
        .max()
        .orElse(0);
  }

  private static int aligned(int count) {
    return Math.ceilDiv(count, LoraKernels.ALIGNMENT) * LoraKernels.ALIGNMENT;
  }

  /** Where all of it lies: scales, then products. */
  private static final class Layout {
    private final ModelConfig config;
    private final List<LoraWeights> adapters;
    private final int rank;
    private final List<Map<AdaptedProduct, Matrices>> layers = new ArrayList<>();

    Layout(ModelConfig config, List<LoraWeights> adapters) {
      this.config = config;
      this.adapters = adapters;
      this.rank = aligned(adapters.stream().mapToInt(LoraWeights::rank).max().orElseThrow());
    }

    /** Gives everything its place from {@code begin} on; returns where all of it ends. */
    long place(long begin) {
      layers.clear();
      long at = begin + (long) Float.BYTES * aligned(adapters.size());
      for (int layer = 0; layer < config.layers(); layer++) {
        final Map<AdaptedProduct, Matrices> products = new EnumMap<>(AdaptedProduct.class);
        for (AdaptedProduct product : AdaptedProduct.values()) {
          if (isChanged(layer, product)) {
            final Matrices matrices = matrices(product, at);
            products.put(product, matrices);
            at = matrices.up() + adapters.size() * upBytes(matrices);
          }
        }
        layers.add(products);
      }
      return at;
    }

    private boolean isChanged(int layer, AdaptedProduct product) {
      return adapters.stream()
          .anyMatch(
              adapter ->
                  product.targets().stream()
                      .anyMatch(target -> adapter.delta(layer, target) != null));
    }

    private Matrices matrices(AdaptedProduct product, long at) {
      final int targets = product.targets().size();
      final int inputs = product.inputs(config);
      final int columns = targets * rank;
      return new Matrices(
          at,
          at + adapters.size() * downBytes(inputs, columns),
          inputs,
          product.firstOutput(config, targets),
          columns,
          product.firstOutput(config, 1),
          product.firstOutput(config, Math.min(2, targets)));
    }

    /** Bytes of an adapter. */
    static long downBytes(int inputs, int columns) {
      return (long) Short.BYTES * columns * aligned(inputs);
    }

    /** Bytes of an adapter. */
    long upBytes(Matrices matrices) {
      return (long) Short.BYTES * rank * matrices.outputs();
    }

    /** The largest thing that is copied at once. */
    long stagingBytes() {
      long most = (long) Float.BYTES * adapters.size();
      for (Map<AdaptedProduct, Matrices> layer : layers) {
        for (Matrices matrices : layer.values()) {
          final long down = downBytes(matrices.inputs(), matrices.columns());
          most = Math.max(most, Math.max(down, upBytes(matrices)));
        }
      }
      return most;
    }
  }

  /** Writes a matrix into pinned memory and copies it, one at a time. */
  private record Upload(CudaStream stream, DeviceBuffer target, PinnedBuffer staging) {

    void scales(List<LoraWeights> adapters) {
      for (int slot = 0; slot < adapters.size(); slot++) {
        staging.segment().setAtIndex(ValueLayout.JAVA_FLOAT, slot, adapters.get(slot).scale());
      }
      copy(target.address(), (long) Float.BYTES * adapters.size());
    }

    void layer(Layout layout, LoraWeights adapter, int layer, int slot) {
      layout
          .layers
          .get(layer)
          .forEach((product, matrices) -> product(layout, adapter, layer, product, matrices, slot));
    }

    private void product(
        Layout layout,
        LoraWeights adapter,
        int layer,
        AdaptedProduct product,
        Matrices matrices,
        int slot) {
      final long downBytes = Layout.downBytes(matrices.inputs(), matrices.columns());
      staging.segment().asSlice(0, downBytes).fill((byte) 0);
      for (int i = 0; i < product.targets().size(); i++) {
        final LoraTarget target = product.targets().get(i);
        final LoraDelta delta = adapter.delta(layer, target);
        if (delta != null) {
          writeDown(delta, i * layout.rank, aligned(matrices.inputs()));
        }
      }
      copy(matrices.down() + slot * downBytes, downBytes);

      final long upBytes = layout.upBytes(matrices);
      staging.segment().asSlice(0, upBytes).fill((byte) 0);
      for (int i = 0; i < product.targets().size(); i++) {
        final LoraDelta delta = adapter.delta(layer, product.targets().get(i));
        if (delta != null) {
          writeUp(delta, product.firstOutput(layout.config, i), matrices.outputs());
        }
      }
      copy(matrices.up() + slot * upBytes, upBytes);
    }

    private void writeDown(LoraDelta delta, int firstColumn, long pitch) {
      for (int j = 0; j < delta.rank(); j++) {
        for (int i = 0; i < delta.inputs(); i++) {
          write((firstColumn + j) * pitch + i, delta.down(j, i));
        }
      }
    }

    private void writeUp(LoraDelta delta, int firstOutput, long outputs) {
      final int lanes = LoraKernels.ALIGNMENT;
      for (int j = 0; j < delta.rank(); j++) {
        final long block = j / lanes * outputs + firstOutput;
        for (int i = 0; i < delta.outputs(); i++) {
          write((block + i) * lanes + j % lanes, delta.up(i, j));
        }
      }
    }

    private void write(long index, float value) {
      final MemorySegment bytes = staging.segment();
      bytes.setAtIndex(ValueLayout.JAVA_SHORT, index, BFloat16.toBits(value));
    }

    private void copy(long address, long bytes) {
      stream.copyToDevice(target, address - target.address(), staging, 0, bytes);
      stream.synchronize(); // the staging is used again
    }
  }
}
