package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.cuda.kernel.Kernels;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The same by the kernel. */
@OnCudaDriver
class BlockTablesOnDeviceTest {
  private static final int STEPS = 200;
  private static final int MOST_INTS = 1 << 14;

  @Test
  void shouldKeepWhatTheDeviceHoldsTheLiveTables() {
    for (Emulator.ThreadOrder order : Emulator.orders(TestSeed.VALUE)) {
      Emulator.schedule(order, Emulator.Streams.LAZY);
      try (CudaDevice device = CudaDevice.open(0)) {
        final TableLoad load = new TableLoad(new Random(TestSeed.VALUE), new ByTheKernel(device));
        for (int step = 0; step < STEPS; step++) {
          load.step();
        }
      }
    }
  }

  private static final class ByTheKernel implements TableLoad.Device {
    private final CudaStream stream;
    private final Kernels kernels;
    private final DeviceBuffer block;
    private final DeviceBuffer tables;
    private final PinnedBuffer pinned;

    ByTheKernel(CudaDevice device) {
      stream = device.newStream();
      kernels = Kernels.load(device);
      block = device.allocate(MemoryUse.of("batch"), 4L * MOST_INTS);
      tables =
          device.allocate(MemoryUse.of("block tables"), 4L * TableLoad.ROWS * TableLoad.MAX_BLOCKS);
      pinned = device.allocatePinned(MemoryUse.of("staging"), 4L * MOST_INTS);
    }

    @Override
    public void change(int[] data, BatchLayout layout) {
      for (int i = 0; i < layout.end; i++) {
        pinned.segment().setAtIndex(ValueLayout.JAVA_INT, i, data[i]);
      }
      stream.copyToDevice(block, 0, pinned, 0, 4L * layout.end);
      kernels
          .tables()
          .change(
              stream,
              tables.address(),
              block.address(),
              block.address() + 4L * layout.workAt(0),
              TableLoad.MAX_BLOCKS);
      stream.synchronize();
    }

    @Override
    public int[] table(int row) {
      final long bytes = 4L * TableLoad.MAX_BLOCKS;
      stream.copyToHost(pinned, 0, tables, row * bytes, bytes);
      stream.synchronize();
      return pinned.segment().asSlice(0, bytes).toArray(ValueLayout.JAVA_INT);
    }
  }
}
