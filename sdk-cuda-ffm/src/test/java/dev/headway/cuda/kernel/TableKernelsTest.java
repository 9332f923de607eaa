package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.emulation.OnCudaDriver;
import org.junit.jupiter.api.Test;

/** Block tables that stay on the device. */
@OnCudaDriver
class TableKernelsTest {
  private static final int ROWS = 40; // more than blocks of a launch
  private static final int MAX_BLOCKS = 301; // more than threads of a block, and no multiple

  @Test
  void shouldWriteEachRunToItsPlaceAndNothingElse() {
    KernelFixture.inEveryOrder(
        given -> {
          final int[] expected = new int[ROWS * MAX_BLOCKS];
          final int runAt = 7;
          final int idAt = runAt + TableKernels.RUN_INTS * ROWS;
          final int[] block = new int[idAt + expected.length];
          block[1] = runAt;
          block[2] = ROWS - 1;
          int id = idAt;
          for (int run = 0; run < ROWS - 1; run++) {
            final int row = ROWS - 1 - run;
            final int first = run == 0 ? 0 : given.random.nextInt(MAX_BLOCKS);
            final int length = run == 0 ? MAX_BLOCKS : given.random.nextInt(MAX_BLOCKS - first + 1);
            final int at = runAt + TableKernels.RUN_INTS * run;
            block[at] = row;
            block[at + 1] = first;
            block[at + 2] = length;
            block[at + 3] = id;
            for (int i = 0; i < length; i++) {
              block[id] = 1 + id;
              expected[row * MAX_BLOCKS + first + i] = 1 + id++;
            }
          }
          final long tables = given.zeros(4L * expected.length);
          final long uploaded = given.upload(block);

          given.kernels.tables().change(given.stream, tables, uploaded, uploaded, MAX_BLOCKS);

          assertThat(given.downloadInts(tables, expected.length)).isEqualTo(expected);
        });
  }
}
