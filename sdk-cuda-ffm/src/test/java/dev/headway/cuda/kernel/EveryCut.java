package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.BiFunction;
import java.util.function.ToLongFunction;

/**
 * Products cut as for a device of few multiprocessors and for one of 132, in every order of
 * threads.
 *
 * @param kernels for a device of so many multiprocessors
 * @param workspaceBytes that they need, counters of blocks first
 */
record EveryCut<K>(
    BiFunction<KernelFixture, Integer, K> kernels, ToLongFunction<K> workspaceBytes) {

  private static final int[] MULTIPROCESSORS = {2, 132};

  /** What is checked. */
  interface Check<K> {
    void run(KernelFixture given, K kernels, long workspace);
  }

  /** A product in floats. */
  interface Product<K> {
    float[] of(KernelFixture given, K kernels, long workspace);
  }

  /** Runs a check, which has to leave the workspace fit for the next product. */
  void check(Check<K> check) {
    KernelFixture.inEveryOrder(
        given -> {
          for (int multiprocessors : MULTIPROCESSORS) {
            final K cut = kernels.apply(given, multiprocessors);
            final long workspace = given.zeros(workspaceBytes.applyAsLong(cut));
            check.run(given, cut, workspace);
            assertThat(given.downloadInts(workspace, 2 * multiprocessors)).containsOnly(0);
          }
        });
  }

  /** The last block to come adds the parts up: who that is must not show. */
  void assertSameWhoeverComesLast(Product<K> product) {
    for (int multiprocessors : MULTIPROCESSORS) {
      final float[][] first = new float[1][];
      KernelFixture.inEveryOrder(
          given -> {
            final K cut = kernels.apply(given, multiprocessors);
            final float[] y = product.of(given, cut, given.zeros(workspaceBytes.applyAsLong(cut)));

            first[0] = first[0] == null ? y : first[0];
            assertThat(y).isEqualTo(first[0]);
          });
    }
  }
}
