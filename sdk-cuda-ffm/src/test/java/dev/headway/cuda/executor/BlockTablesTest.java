package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.emulation.TestSeed;
import dev.headway.cuda.kernel.TableKernels;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Changes of block tables, applied in Java as the kernel does. */
class BlockTablesTest {
  private static final int LOADS = 4;
  private static final int STEPS = 2_500;

  @Test
  void shouldKeepWhatTheDeviceHoldsTheLiveTables() {
    int grown = 0;
    int resumed = 0;
    int refused = 0;
    int evicted = 0;
    int idsSent = 0;
    int idsOfTables = 0;
    for (int seed = TestSeed.VALUE; seed < TestSeed.VALUE + LOADS; seed++) {
      final TableLoad load = new TableLoad(new Random(seed), new InJava());
      for (int step = 0; step < STEPS; step++) {
        try {
          load.step();
        } catch (AssertionError e) {
          throw new AssertionError("seed=" + seed + ": " + e.getMessage(), e);
        }
      }
      grown += load.grown;
      resumed += load.resumed;
      refused += load.refused;
      evicted += load.evicted;
      idsSent += load.idsSent;
      idsOfTables += load.idsOfTables;
    }

    assertThat(List.of(grown, resumed, refused, evicted)) // or the test would show little
        .as("grown, resumed, refused, evicted; seed=%d", TestSeed.VALUE)
        .allMatch(count -> count > LOADS * STEPS / 50);
    assertThat(idsSent).isLessThan(idsOfTables);
  }

  /** As {@code block_tables.cu}. */
  private static final class InJava implements TableLoad.Device {
    private final int[][] tables = new int[TableLoad.ROWS][TableLoad.MAX_BLOCKS];

    @Override
    public void change(int[] block, BatchLayout layout) {
      final int runs = block[layout.workAt(0) + 1];
      for (int run = 0; run < block[layout.workAt(0) + 2]; run++) {
        final int at = runs + TableKernels.RUN_INTS * run;
        System.arraycopy(block, block[at + 3], tables[block[at]], block[at + 1], block[at + 2]);
      }
    }

    @Override
    public int[] table(int row) {
      return tables[row];
    }
  }
}
