package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Recordings by batch size. */
@OnCudaDriver
class GraphCacheTest {

  @Test
  void shouldLaunchWhatALibraryRefusesToRecord() {
    final GraphCache graphs = new GraphCache(1, 2);
    final AtomicInteger runs = new AtomicInteger();
    try (CudaDevice device = CudaDevice.open(0)) {
      final CudaStream stream = device.newStream();
      graphs.record(
          stream,
          2,
          () -> {
            throw new IllegalStateException("cublasLtMatmul failed");
          });
      graphs.record(stream, 1, () -> {});

      graphs.run(stream, 2, runs::incrementAndGet);
      graphs.run(stream, 1, runs::incrementAndGet);
      stream.synchronize();
    }
    assertThat(runs).hasValue(1);
    assertThat(graphs.describe())
        .isEqualTo(
            "1 of 2 batch sizes up to 2 recorded, the others are launched: batch size 2:"
                + " cublasLtMatmul failed");
  }

  @Test
  void shouldForgetRecordings() {
    final GraphCache graphs = new GraphCache(1);
    final AtomicInteger runs = new AtomicInteger();
    try (CudaDevice device = CudaDevice.open(0)) {
      final CudaStream stream = device.newStream();
      graphs.record(stream, 1, () -> {});
      final int open = device.openResources();

      graphs.clear();
      graphs.run(stream, 1, runs::incrementAndGet);

      assertThat(device.openResources()).isEqualTo(open - 1);
    }
    assertThat(runs).hasValue(1);
    assertThat(graphs.describe()).isEqualTo("0 of 1 batch sizes up to 1 recorded");
  }

  @Test
  @EmulatorOnly("a call of the driver must fail at will")
  void shouldNotGoOnWithALostDevice() {
    final GraphCache graphs = new GraphCache(1);
    try (CudaDevice device = CudaDevice.open(0)) {
      final CudaStream stream = device.newStream();
      Emulator.failNext("cuGraphInstantiateWithFlags", 719);

      assertThatThrownBy(() -> graphs.record(stream, 1, () -> {}))
          .isInstanceOf(CudaException.class);
    }
  }
}
