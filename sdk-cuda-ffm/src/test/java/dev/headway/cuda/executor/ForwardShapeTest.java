package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.device.DeviceInfo;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Into how many parts attention is cut, on a device of 132 multiprocessors. */
class ForwardShapeTest {
  private static final DeviceInfo DEVICE =
      new DeviceInfo(0, "made up", 9, 0, 132, 1L << 36, 1 << 17, 13_000, "0000:01:00.0");
  private static final int KV_HEADS = 2; // of the tiny models

  private static ForwardShape shape(int maxModelLen) {
    final ExecutorOptions options =
        new ExecutorOptions(0, 256, 2_048, maxModelLen, 16, 0, 0, 0.9, 1, CudaGraphs.ENABLED);
    final Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), 1);
    assertThat(model.config().attention().kvHeads()).isEqualTo(KV_HEADS);
    return new ForwardShape(model.config(), options, DEVICE);
  }

  @ParameterizedTest
  @CsvSource({"1, 64", "4, 33", "8, 17", "9, 9", "40, 8", "48, 8", "49, 4", "128, 4", "256, 2"})
  void shouldFillTheDeviceAndLeaveNoLongContextToOneBlock(int rows, int parts) {
    assertThat(shape(8_192).parts(rows)).isEqualTo(parts);
  }

  @Test
  void shouldCutABatchAsItsPaddedSize() {
    final ForwardShape shape = shape(8_192);
    for (int rows = 1; rows <= 256; rows++) {
      assertThat(shape.parts(rows))
          .as("rows=%d", rows)
          .isEqualTo(shape.parts(BatchSizes.holding(rows, 256)));
    }
  }

  @Test
  void shouldMakeNoPartOfFewerThan64Keys() {
    assertThat(shape(200).parts(1)).isEqualTo(3);
    assertThat(shape(60).parts(40)).isEqualTo(1);
  }
}
