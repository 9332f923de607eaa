package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.driver.CudaLibrary;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.cuda.executor.DeviceWeights.LayerWeights;
import dev.headway.cuda.kernel.Kernels;
import dev.headway.cuda.kernel.RoundedProducts;
import dev.headway.executor.model.AttentionShape;
import dev.headway.executor.model.BFloat16;
import dev.headway.executor.model.E4m3;
import dev.headway.executor.model.InputQuantization;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.QuantizedMatrix;
import dev.headway.executor.model.QuantizedModel;
import dev.headway.executor.model.WeightType;
import dev.headway.executor.reference.Precision;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The products of a checkpoint's matrices, as a model has them, against double precision: inputs
 * rounded as the checkpoint says, weights as it has them; by own kernels and by the library.
 */
@OnCudaDriver
class RoundedGemmTest {
  private static final MemoryUse USE = MemoryUse.of("test");
  private static final int MOST_ROWS = 100;
  private static final int LAYER = 1;

  /**
   * Rows of products: of one tile and of several, of own kernels and, from 33 on, the library's.
   */
  private static final int[] ROWS = {1, 32, 33, 70, 7};

  @TempDir private Path directory;

  private final Random random = new Random(TestSeed.VALUE);

  @ParameterizedTest
  @EnumSource(
      value = QuantizedModel.class,
      names = {"FP8_WIDE_BLOCKS", "FP8_STATIC", "FP8_DYNAMIC", "TENSORS_STATIC", "TENSORS_DYNAMIC"})
  void shouldMultiplyAsTheCheckpointSays(QuantizedModel quantized) throws IOException {
    final ModelConfig config =
        ModelConfig.builder(ModelFamily.QWEN2)
            .vocabularySize(40)
            .hiddenSize(512)
            .intermediateSize(272)
            .layers(2)
            .attention(new AttentionShape(4, 2, 64))
            .maxPositions(64)
            .build();
    quantized.write(Model.random(config, TestSeed.VALUE, WeightType.F32), directory);
    for (boolean hasLibrary : new boolean[] {false, true}) {
      Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
      if (Emulator.isActive()) {
        new Emulator.Device().compute(9, 0).install();
      }
      try (Model model = Model.load(directory);
          CudaDevice device = CudaDevice.open(0);
          BlasLt library = library(device, hasLibrary)) {
        assertThat(library.isPresent() || !hasLibrary || !Emulator.isActive()).isTrue();
        check(model, device, library);
        if (Emulator.isActive()) {
          assertThat(library.refusedRounded()).isEmpty();
        }
      }
    }
  }

  /** That of the tests, or whichever is found on a real driver. */
  private static BlasLt library(CudaDevice device, boolean wanted) {
    final String before = System.getProperty(BlasLt.PROPERTY);
    if (!wanted || Emulator.isActive()) {
      System.setProperty(
          BlasLt.PROPERTY, wanted ? CudaLibrary.library().name() : "no library of products");
    }
    try {
      return BlasLt.open(device, 1 << 20);
    } finally {
      if (before == null) {
        System.clearProperty(BlasLt.PROPERTY);
      } else {
        System.setProperty(BlasLt.PROPERTY, before);
      }
    }
  }

  private void check(Model model, CudaDevice device, BlasLt library) {
    final CudaStream stream = device.newStream();
    final RoundedProducts products = RoundedProducts.load(device);
    final Kernels kernels = Kernels.load(device);
    final DeviceWeights weights = DeviceWeights.upload(device, stream, model, Precision.QUANTIZED);
    final DeviceBuffer parts =
        device.allocate(
            USE, Math.max(products.workspaceBytes(), kernels.linear().workspaceBytes()));
    stream.fill(parts, 0, parts.bytes(), (byte) 0);
    final RoundedGemm rounded =
        new RoundedGemm(device, products, library, parts.address(), weights, MOST_ROWS);
    final Gemm gemm = new Gemm(kernels.linear(), library, parts.address(), 0, rounded);
    final Memory memory = new Memory(device, stream);
    final LayerWeights placed = weights.layer(LAYER);
    for (int m : ROWS) {
      check(
          memory,
          gemm,
          model,
          placed.qkv(),
          m,
          ModelLayout.Q_PROJ,
          ModelLayout.K_PROJ,
          ModelLayout.V_PROJ);
      check(memory, gemm, model, placed.output(), m, ModelLayout.O_PROJ);
      check(memory, gemm, model, gateUp(placed), m, ModelLayout.GATE_PROJ, ModelLayout.UP_PROJ);
      check(memory, gemm, model, Objects.requireNonNull(placed.down()), m, ModelLayout.DOWN_PROJ);
    }
  }

  private static WeightMatrix gateUp(LayerWeights layer) {
    return Objects.requireNonNull(layer.gateUp());
  }

  /** One product, added to what was there. */
  private void check(
      Memory memory, Gemm gemm, Model model, WeightMatrix w, int m, String... matrices) {
    final int k = w.inputs();
    final int n = w.outputs();
    final float[] x = new float[m * k];
    for (int i = 0; i < x.length; i++) {
      x[i] = BFloat16.round((float) random.nextGaussian() * (random.nextInt(50) == 0 ? 8 : 1));
    }
    final float[] before = new float[m * n];
    for (int i = 0; i < before.length; i++) {
      before[i] = BFloat16.round((float) random.nextGaussian());
    }
    final int held = ProductRows.holding(m);
    try (DeviceBuffer dx = memory.upload(x, held * k);
        DeviceBuffer y = memory.upload(before, held * n)) {

      gemm.addTo(memory.stream(), y.address(), dx.address(), w, m);

      final float[] actual = memory.download(y, m * n);
      int first = 0;
      for (String matrix : matrices) {
        final String name = ModelLayout.inLayer(LAYER, matrix);
        final QuantizedMatrix part = model.weights().quantized(name).orElseThrow();
        final double[] inputs = rounded(x, m, k, part.inputs());
        final String biasName = ModelLayout.biasOf(matrix, model.config().biases());
        for (int row = 0; row < part.rows(); row++) {
          final float[] weights = new float[k];
          model.weights().read(name, (long) row * k, weights, 0, k);
          final float bias = biasName == null ? 0 : bias(model, biasName, row);
          for (int i = 0; i < m; i++) {
            final int at = i * n + first + row;
            double expected = before[at] + bias;
            for (int j = 0; j < k; j++) {
              expected += inputs[i * k + j] * weights[j];
            }
            assertThat(Math.abs(actual[at] - expected))
                .as("%s, m=%d, row=%d, output=%d, seed=%d", name, m, i, row, TestSeed.VALUE)
                .isLessThan(1e-4 + Math.abs(expected) / 256);
          }
        }
        first += part.rows();
      }
      assertThat(first).isEqualTo(n);
    }
  }

  private static float bias(Model model, String name, int row) {
    final float[] value = new float[1];
    model.weights().read(ModelLayout.inLayer(LAYER, name), row, value, 0, 1);
    return BFloat16.round(value[0]);
  }

  private static double[] rounded(float[] x, int m, int k, InputQuantization how) {
    final double[] rounded = new double[m * k];
    final int columns = how instanceof InputQuantization.PerGroup group ? group.columns() : k;
    for (int i = 0; i < m * k; i++) {
      final int from = i / k * k + i % k / columns * columns;
      final int to = Math.min(i / k * k + k, from + columns);
      float scale = 0;
      for (int j = from; j < to; j++) {
        scale = Math.max(scale, Math.abs(x[j]));
      }
      scale =
          how instanceof InputQuantization.Static fixed
              ? fixed.scale()
              : InputQuantization.scaleOf(scale);
      rounded[i] = (double) E4m3.toFloat(E4m3.toBits(x[i] / scale)) * scale;
    }
    return rounded;
  }

  /** Rows of bf16 on the device, no numbers behind them. */
  private record Memory(CudaDevice device, CudaStream stream) {
    DeviceBuffer upload(float[] values, int room) {
      final DeviceBuffer buffer = device.allocate(USE, 2L * room);
      try (PinnedBuffer pinned = device.allocatePinned(USE, 2L * room)) {
        for (int i = 0; i < room; i++) {
          final float value = i < values.length ? values[i] : Float.NaN;
          pinned.segment().setAtIndex(ValueLayout.JAVA_SHORT, i, BFloat16.toBits(value));
        }
        stream.copyToDevice(buffer, 0, pinned, 0, 2L * room);
        stream.synchronize();
      }
      return buffer;
    }

    float[] download(DeviceBuffer buffer, int count) {
      final float[] values = new float[count];
      try (PinnedBuffer pinned = device.allocatePinned(USE, 2L * count)) {
        stream.copyToHost(pinned, 0, buffer, 0, 2L * count);
        stream.synchronize();
        final MemorySegment made = pinned.segment();
        for (int i = 0; i < count; i++) {
          values[i] = BFloat16.toFloat(made.getAtIndex(ValueLayout.JAVA_SHORT, i));
        }
      }
      return values;
    }
  }
}
