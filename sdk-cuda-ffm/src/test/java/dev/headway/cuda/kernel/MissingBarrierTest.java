package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.F32;
import static dev.headway.cuda.device.KernelParameter.I32;
import static dev.headway.cuda.device.KernelParameter.POINTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.device.Kernel;
import dev.headway.cuda.device.KernelParameter;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Norm and product without their barriers give something else in some order of threads; the product
 * that waits for one group of copies less does in every order.
 */
@OnCudaDriver
@EmulatorOnly(
    "kernels without barriers are compiled for the emulator, and a device may run them well")
class MissingBarrierTest {
  private static final KernelParameter[] NORM = {
    POINTER, POINTER, POINTER, POINTER, POINTER, I32, F32, F32
  };
  private static final KernelParameter[] PRODUCT = {
    POINTER, POINTER, POINTER, POINTER, POINTER, POINTER, POINTER, I32, I32, I32, I32, I32, I32
  };
  private static final KernelParameter[] MXFP4 = {
    POINTER, POINTER, POINTER, POINTER, POINTER, I32, I32
  };
  private static final int MXFP4_BYTES = 8 * (8 * 544 + 2 * 32 * 64);
  private static final int PRODUCT_BYTES = 2 * 4 * (64 + 128) * 64;

  /** Whether both kernels agree, once per order. */
  private interface Comparison {
    boolean agrees(KernelFixture given, Kernel one, Kernel other);
  }

  private static List<Boolean> inEveryOrder(
      String one, String other, KernelParameter[] parameters, Comparison comparison) {
    final List<Boolean> agreements = new ArrayList<>();
    KernelFixture.inEveryOrder(
        given -> {
          final var module = given.device.loadModule("kernels", KernelImage.ALL.ptx());
          agreements.add(
              comparison.agrees(
                  given, module.kernel(one, parameters), module.kernel(other, parameters)));
        });
    return agreements;
  }

  @Test
  void shouldBeNoticedInTheNorm() {
    final Comparison comparison =
        (given, one, other) -> {
          final long x = given.upload(given.randomBf16(512, 1));
          final long weight = given.upload(given.randomBf16(512, 1));
          return norm(given, one, x, weight).equals(norm(given, other, x, weight));
        };

    assertThat(inEveryOrder("rms_norm", "rms_norm", NORM, comparison)).containsOnly(true);
    assertThat(inEveryOrder("rms_norm", "without_barriers_rms_norm", NORM, comparison))
        .contains(false);
  }

  private static List<Short> norm(KernelFixture given, Kernel kernel, long x, long weight) {
    final long out = given.allocate(1024);
    kernel.pointer(out).pointer(x).pointer(0).pointer(0).pointer(weight).i32(512);
    kernel.f32(1e-5f).f32(0);
    kernel.launch(given.stream, 1, 1, 1, 64, 0);
    return list(given.downloadBf16(out, 512));
  }

  @Test
  void shouldBeNoticedInTheProduct() {
    final Comparison comparison =
        (given, one, other) -> {
          final long x = given.upload(given.randomBf16(64 * 640, 1));
          final long w = given.upload(given.randomBf16(64 * 640, 1));
          return product(given, one, x, w).equals(product(given, other, x, w));
        };

    assertThat(inEveryOrder("gemm_64x128", "gemm_64x128", PRODUCT, comparison)).containsOnly(true);
    assertThat(inEveryOrder("gemm_64x128", "without_barriers_gemm_64x128", PRODUCT, comparison))
        .contains(false);
    assertThat(inEveryOrder("gemm_64x128", "waiting_less_gemm_64x128", PRODUCT, comparison))
        .containsOnly(false);
  }

  private static List<Short> product(KernelFixture given, Kernel kernel, long x, long w) {
    final long y = given.allocate(2 * 64 * 64);
    kernel.pointer(y).pointer(x).pointer(w).pointer(0).pointer(0).pointer(0).pointer(0);
    kernel.i32(64).i32(64).i32(640).i32(0).i32(1).i32(0); // one tile, not shared
    kernel.allowSharedBytes(PRODUCT_BYTES);
    kernel.launch(given.stream, 1, 1, 1, 256, PRODUCT_BYTES);
    return list(given.downloadBf16(y, 64 * 64));
  }

  /** Scales, which a warp brings for all others, and rows of x. */
  @Test
  void shouldBeNoticedInProductsOfMxfp4() {
    final Comparison comparison =
        (given, one, other) -> {
          final long w = Mxfp4.random(given, 1, 128, 640, 118, 12).upload(given, 0).address();
          final long x = given.upload(given.randomBf16(32 * 640, 1));
          return ofMxfp4(given, one, x, w).equals(ofMxfp4(given, other, x, w));
        };
    final String name = "group_gemm_mxfp4_32x128";

    assertThat(inEveryOrder(name, name, MXFP4, comparison)).containsOnly(true);
    assertThat(inEveryOrder(name, "without_barriers_" + name, MXFP4, comparison)).contains(false);
    assertThatThrownBy(() -> inEveryOrder(name, "waiting_less_" + name, MXFP4, comparison))
        .hasMessageContaining("a copy that nobody waited for"); // the last one
  }

  private static List<Short> ofMxfp4(KernelFixture given, Kernel kernel, long x, long w) {
    final long y = given.allocate(2 * 32 * 128);
    final long tiles = given.upload(1, 0, 0, 0, 0, 0, 32, 0); // one, of the only expert
    kernel.pointer(y).pointer(x).pointer(w).pointer(0).pointer(tiles).i32(128).i32(640);
    kernel.allowSharedBytes(MXFP4_BYTES);
    kernel.launch(given.stream, 1, 1, 1, 256, MXFP4_BYTES);
    return list(given.downloadBf16(y, 32 * 128));
  }

  private static List<Short> list(short[] values) {
    final List<Short> list = new ArrayList<>();
    for (short value : values) {
      list.add(value);
    }
    return list;
  }
}
