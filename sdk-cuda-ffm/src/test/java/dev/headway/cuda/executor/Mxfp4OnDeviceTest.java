package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.request.Request;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.GptOssFolder;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelWriter;
import dev.headway.executor.reference.Precision;
import dev.headway.scheduler.time.SystemNanoClock;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** gpt-oss as it is published: its experts stay MXFP4 on the device. */
@OnCudaDriver
class Mxfp4OnDeviceTest {
  private static final int MAX_MODEL_LEN = 220;
  private static final int BUDGET = 200;
  private static final int OUTPUTS = 20;

  @TempDir private Path directory;

  @BeforeEach
  void workOnlyWhenSomebodyWaits() {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
  }

  /** Prompts for tiles of 8, 32 and 128 rows. */
  @Test
  void shouldContinueAsTheReference() throws IOException {
    new GptOssFolder(TestSeed.VALUE).write(directory);
    try (Model model = Model.load(directory)) {
      final CudaExecutor executor = builder(model).build();
      assertThat(executor.attributes().get("products"))
          .endsWith("; own kernels with experts in MXFP4");

      final Generation actual = Generation.of(executor, config(1), requests());

      final ReferenceCheck check = new ReferenceCheck(model.withMaxPositions(MAX_MODEL_LEN));
      check.follow("seed=" + TestSeed.VALUE, requests(), actual);
      assertThat(check.tokens).isEqualTo(OUTPUTS * requests().size());
      assertThat(check.ties).as("%s", check).isLessThan(check.tokens / 20);
      assertThat(check.worstLogprobError).as("%s", check).isLessThan(ReferenceCheck.LOGPROB_ERROR);
    }
  }

  /** Tokens and log-probabilities of a file with the same weights in bfloat16, to the last bit. */
  @ParameterizedTest
  @CsvSource({"ENABLED, 1", "DISABLED, 1", "ENABLED, 2"})
  void shouldMakeTheBitsOfTheSameWeightsInBf16(CudaGraphs graphs, int stepsInFlight)
      throws IOException {
    final Path plain = directory.resolve("plain");
    new GptOssFolder(TestSeed.VALUE).write(directory);
    try (Model model = Model.load(directory)) {
      ModelWriter.write(model, plain);
      try (Model widened = Model.load(plain)) {
        final Generation expected = generation(widened, graphs, stepsInFlight);

        final Generation actual = generation(model, graphs, stepsInFlight);

        assertThat(actual)
            .as("seed=%d", TestSeed.VALUE)
            .usingRecursiveComparison()
            .isEqualTo(expected);
      }
    }
  }

  private static Generation generation(Model model, CudaGraphs graphs, int stepsInFlight) {
    return Generation.of(
        builder(model).graphs(graphs).stepsInFlight(stepsInFlight).build(),
        config(stepsInFlight),
        requests());
  }

  /** Two layers of three experts of 64 x 3 x 96 weights, of which down's fill steps up to 128. */
  @Test
  void shouldTakeFourBitsAndAPartOfAScaleForAWeightOfAnExpert() throws IOException {
    final Path plain = directory.resolve("plain");
    new GptOssFolder(TestSeed.VALUE).write(directory);
    try (Model model = Model.load(directory)) {
      ModelWriter.write(model, plain);
      try (Model widened = Model.load(plain)) {
        final long inBf16 = 2L * 3 * 2 * (64 * 192 + 96 * 64);
        final long inMxfp4 = 2L * 3 * 544 * (64 * 192 + 128 * 64) / 1_024;

        assertThat(weightBytes(widened) - weightBytes(model))
            .as("up to where tensors may begin")
            .isCloseTo(inBf16 - inMxfp4, within(4 * 256L));
      }
    }
  }

  private static long weightBytes(Model model) {
    return CudaExecutor.memory(model, 16).weightBytes();
  }

  /** Bands of 1,088 bytes, two records each. */
  @Test
  void shouldPlaceTheSameBytesWhateverTheChunks() throws IOException {
    new GptOssFolder(TestSeed.VALUE).write(directory);
    try (Model model = Model.load(directory)) {
      assertThat(placed(model, 2_000)).isEqualTo(placed(model, 1 << 20));
    }
  }

  private static byte[] placed(Model model, long chunkBytes) {
    final long bytes = DeviceWeights.bytes(model);
    final MemoryUse use = MemoryUse.of("test");
    try (CudaDevice device = CudaDevice.open(0)) {
      final CudaStream stream = device.newStream();
      final DeviceBuffer target = device.allocate(use, bytes);
      stream.fill(target, 0, bytes, (byte) 0); // between tensors too
      try (WeightCopies copies =
          new WeightCopies(device, stream, model.weights(), target, chunkBytes)) {
        DeviceWeights.place(
            new WeightUpload(model.weights(), target.address(), copies, Precision.BFLOAT16), model);
      }
      final PinnedBuffer host = device.allocatePinned(use, bytes);
      stream.copyToHost(host, 0, target, 0, bytes);
      stream.synchronize();
      return host.segment().toArray(ValueLayout.JAVA_BYTE);
    }
  }

  @ParameterizedTest
  @CsvSource({"253", "255"})
  void shouldRefuseScalesThatBf16DoesNotHold(int scale) throws IOException {
    new GptOssFolder(TestSeed.VALUE).withScale(scale).write(directory);
    try (Model model = Model.load(directory)) {
      assertThatThrownBy(() -> builder(model).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "scales must be below 253, so that bfloat16 holds each weight:"
                  + " tensor='model.layers.0.mlp.experts.1.up_proj.weight', row=5, column=32, scale="
                  + scale);
    }
  }

  private static List<Request> requests() {
    return GreedyRequests.of(OUTPUTS, 1, 5, 45, 150);
  }

  private static CudaExecutorBuilder builder(Model model) {
    return CudaExecutor.builder(model, new SystemNanoClock())
        .blockSize(4)
        .kvBlocks(200)
        .maxNumSeqs(4)
        .maxNumBatchedTokens(BUDGET)
        .maxModelLen(MAX_MODEL_LEN);
  }

  private static SchedulerConfig config(int stepsInFlight) {
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(4)
                .maxNumBatchedTokens(BUDGET)
                .maxModelLen(MAX_MODEL_LEN)
                .build())
        .pipeline(stepsInFlight == 1 ? PipelineOptions.DEFAULT : PipelineOptions.ASYNC)
        .build();
  }
}
