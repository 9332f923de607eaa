package dev.headway.cuda.gpu;

import dev.headway.api.request.SamplingParams;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import java.util.Random;
import java.util.function.IntToDoubleFunction;

/** Choosing tokens, by filter and by what the logits are like. */
final class SamplingRates implements AutoCloseable {
  private final RateTable table;
  private final Scale scale;
  private final CudaDevice device = CudaDevice.open(0);
  private final CudaStream stream = device.newStream();
  private final DeviceArrays arrays = new DeviceArrays(device, stream);
  private final Stopwatch watch = new Stopwatch(device, stream);
  private final KernelCalls kernels;

  /** What a request asks for. */
  enum Filter {
    GREEDY("greedy", 0, 1, 0, 0),
    TEMPERATURE("temperature", 0.8f, 1, 0, 0),
    TOP_P("top-p", 0.8f, 0.95f, 0, 0),
    TOP_K_TOP_P("top-k+top-p", 0.8f, 0.95f, 0, 50),
    MIN_P("min-p", 0.8f, 1, 0.05f, 0);

    final String words;
    final float temperature;
    final float topP;
    final float minP;
    final int topK;

    Filter(String words, float temperature, float topP, float minP, int topK) {
      this.words = words;
      this.temperature = temperature;
      this.topP = topP;
      this.minP = minP;
      this.topK = topK;
    }

    /** As a request asks for it. */
    SamplingParams params(long seed) {
      final SamplingParams.Builder params =
          SamplingParams.builder().temperature(temperature).topP(topP).minP(minP).seed(seed);
      return topK > 0 ? params.topK(topK).build() : params.build();
    }
  }

  /** What the logits are like; all equal is the most that a histogram can contend. */
  enum Logits {
    NORMAL("normal"),
    PEAKED("peaked"),
    EQUAL("all equal"),
    TWO_VALUES("two values"),
    RAMP("ramp");

    final String words;

    Logits(String words) {
      this.words = words;
    }

    IntToDoubleFunction row() {
      final Random random = new Random(11);
      return switch (this) {
        case NORMAL -> i -> 2.5 * random.nextGaussian();
        case PEAKED -> i -> i == 17 ? 30 : 2.5 * random.nextGaussian();
        case EQUAL -> i -> 1;
        case TWO_VALUES -> i -> i % 2;
        case RAMP -> i -> i * 1e-4;
      };
    }
  }

  SamplingRates(RateTable table, Scale scale) {
    this.table = table;
    this.scale = scale;
    kernels = new KernelCalls(device, stream, scale.attention());
  }

  void run() {
    final int[] sizes = scale.samplingRows();
    final int most = sizes[sizes.length - 1];
    kernels.allowRows(most);
    for (Logits logits : Logits.values()) {
      try (DeviceBuffer values = arrays.rowsOfFloats(most, scale.vocabulary(), logits.row())) {
        for (Filter filter : Filter.values()) {
          for (int rows : sizes) {
            measure(filter, logits, values, rows);
          }
        }
      }
    }
  }

  private void measure(Filter filter, Logits logits, DeviceBuffer values, int rows) {
    final float[] real = {filter.temperature, filter.topP, filter.minP};
    final int[] whole = {filter.topK, 100, 1, 2};
    try (DeviceBuffer reals = arrays.rowsOfFloats(rows, 3, i -> real[i]);
        DeviceBuffer wholes = arrays.ints(4 * rows, i -> whole[i % 4] + (i % 4 == 2 ? i : 0));
        DeviceBuffer tokens = arrays.allocate(12L * rows)) {
      final double seconds =
          watch.seconds(
              turn ->
                  kernels.sample(
                      tokens.address(),
                      values.address(),
                      reals.address(),
                      wholes.address(),
                      rows,
                      scale.vocabulary(),
                      filter));
      table.add("sampling " + filter.words, logits.words + " rows " + rows, seconds * 1e6, "us");
    }
  }

  @Override
  public void close() {
    device.close();
  }
}
