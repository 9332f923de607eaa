package dev.headway.cuda.blas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.RoundedInputs;
import dev.headway.cuda.device.WeightMatrix;
import dev.headway.cuda.device.WeightScales;
import dev.headway.cuda.driver.CudaLibrary;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Which products of codes the library is asked for, and which it refuses, as its documentation has
 * it. What they make is compared in {@code RoundedGemmTest}.
 */
@OnCudaDriver
@EmulatorOnly("which products it refuses is the library's own affair, and so are its devices")
class RoundedOnBlasLtTest {
  private static final MemoryUse USE = MemoryUse.of("test");
  private static final long ROOM = 1 << 20;

  /**
   * Scales of all, of rows and of blocks; inputs below 0 have a fixed one. Asked for: planned;
   * taken: the library has a way.
   */
  @ParameterizedTest
  @CsvSource({
    "9, 0, 48, 64, 512, 30, 512, -1, true, true",
    "9, 0, 48, 64, 512, 0, 512, 512, true, true",
    "9, 0, 48, 64, 512, 0, 512, -1, true, true",
    "9, 0, 48, 256, 512, 7, 128, 128, true, true",
    "8, 9, 48, 64, 512, 30, 512, -1, true, true",
    "8, 9, 48, 64, 512, 0, 512, 512, true, false",
    "8, 9, 48, 256, 512, 7, 128, 128, true, false",
    "10, 0, 48, 64, 512, 30, 512, -1, true, true",
    "10, 0, 48, 64, 512, 0, 512, 512, true, false",
    // rows of neither 16 codes nor 8 outputs, which are 16 bytes
    "9, 0, 48, 64, 520, 30, 520, -1, true, false",
    "9, 0, 48, 68, 512, 30, 512, -1, true, false",
    // blocks in a row, or rows, that are no multiple of 4; scales of some rows, of mixed kinds
    "9, 0, 48, 256, 384, 7, 128, 128, false, false",
    "9, 0, 6, 256, 512, 7, 128, 128, false, false",
    "9, 0, 48, 256, 512, 6, 128, 128, false, false",
    "9, 0, 48, 64, 512, 3, 512, 512, false, false",
    "9, 0, 48, 64, 512, 30, 512, 512, false, false",
    "9, 0, 48, 256, 512, 7, 128, 512, false, false",
    "9, 0, 48, 256, 512, 7, 256, 256, false, false"
  })
  void shouldAskForWhatTheLibraryHas(
      int major,
      int minor,
      int m,
      int n,
      int k,
      int rowShift,
      int columns,
      int inputColumns,
      boolean asked,
      boolean taken) {
    new Emulator.Device().compute(major, minor).install();
    try (CudaDevice device = CudaDevice.open(0);
        BlasLt blas = BlasLt.open(CudaLibrary.library(), device, ROOM)) {
      final CudaStream stream = device.newStream();
      final long a = device.allocate(USE, ROOM).address();
      final RoundedInputs how =
          inputColumns < 0 ? new RoundedInputs(a, k) : new RoundedInputs(0, inputColumns);
      final WeightScales scales = new WeightScales(a, rowShift, columns);
      final WeightMatrix w = new WeightMatrix(a, 0, n, k, scales, how);
      for (int round = 0; round < 2; round++) {
        assertThat(blas.multiplyRounded(stream, a, a, a, w, 0, m)).isEqualTo(taken);
        assertThat(blas.plans()).isEqualTo(asked ? 1 : 0);
      }
      assertThat(blas.refusedRounded())
          .isEqualTo(asked && !taken ? "m=" + m + ", n=" + n + ", k=" + k + ": status=15" : "");
      assertThat(blas.refused()).isEmpty();
      stream.synchronize();
    }
    assertThat(Emulator.blasHandlesAlive()).isZero();
  }

  /** A description that no plan was made of is given back, too. */
  @Test
  void shouldLeaveScalesToOthersThatAnOlderLibraryDoesNotKnow() {
    new Emulator.Device().compute(9, 0).install();
    Emulator.knowScaleModes(false);
    try (CudaDevice device = CudaDevice.open(0);
        BlasLt blas = BlasLt.open(CudaLibrary.library(), device, ROOM)) {
      final CudaStream stream = device.newStream();
      final long a = device.allocate(USE, ROOM).address();
      final WeightScales ofRows = new WeightScales(a, 0, 512);
      final RoundedInputs perToken = new RoundedInputs(0, 512);
      final WeightMatrix w = new WeightMatrix(a, 0, 64, 512, ofRows, perToken);

      assertThat(blas.multiplyRounded(stream, a, a, a, w, 0, 48)).isFalse();

      assertThat(blas.refusedRounded()).isEqualTo("m=48, n=64, k=512: status=7");
    } finally {
      Emulator.knowScaleModes(true);
    }
    assertThat(Emulator.blasHandlesAlive()).isZero();
  }

  /** Addresses of codes are multiples of 16. */
  @Test
  void shouldLeaveAddressesToOthersThatAreNotAligned() {
    new Emulator.Device().compute(9, 0).install();
    try (CudaDevice device = CudaDevice.open(0);
        BlasLt blas = BlasLt.open(CudaLibrary.library(), device, ROOM)) {
      final CudaStream stream = device.newStream();
      final long a = device.allocate(USE, ROOM).address();
      final WeightScales one = new WeightScales(a, 30, 512);
      final WeightMatrix w = new WeightMatrix(a, 0, 64, 512, one, new RoundedInputs(a, 512));

      assertThat(blas.multiplyRounded(stream, a, a + 8, a, w, 0, 48)).isFalse();
      assertThat(blas.multiplyRounded(stream, a, a + 16, a, w, 0, 48)).isTrue();
      stream.synchronize();
    }
  }
}
