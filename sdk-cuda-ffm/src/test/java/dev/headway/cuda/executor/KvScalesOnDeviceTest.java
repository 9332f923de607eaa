package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.EightBitKvFolder;
import dev.headway.executor.model.KvScale;
import dev.headway.executor.model.LayerWindows;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.reference.Golden;
import dev.headway.executor.reference.KvPrecision;
import dev.headway.scheduler.time.SystemNanoClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Scales of eight-bit keys and values that a checkpoint brings. Its keys are 2,048 times as large
 * as the model's in one layer and a 128th in the next, values a 64th and 512 times: without scales
 * they are beyond 448, or vanish.
 */
@OnCudaDriver
class KvScalesOnDeviceTest {
  private static final int MAX_MODEL_LEN = 128;

  private static final KvScale[] FACTORS = {
    new KvScale(0x1p11f, 0x1p-6f), new KvScale(0x1p-7f, 0x1p9f)
  };

  @TempDir private Path directory;

  @BeforeEach
  void workOnlyWhenSomebodyWaits() {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
  }

  /** No powers of two, and such that 448 of them are more than any key or value of the model. */
  private static List<KvScale> scales(int layers) {
    return IntStream.range(0, layers)
        .mapToObj(layer -> FACTORS[layer % FACTORS.length])
        .map(factor -> new KvScale(0.051f * factor.keys(), 0.023f * factor.values()))
        .toList();
  }

  /** What a trained model says of its own stories, each token after all before it. */
  @Test
  void shouldKeepWhatTheModelKnowsByTheScalesOfTheCheckpoint() throws IOException {
    final List<Golden> texts = Perplexity.texts();
    final Path with = directory.resolve("with");
    final Path without = directory.resolve("without");
    try (Model model = Model.load(TestModels.stories260K())) {
      final Model scaled = EightBitKvFolder.scaled(model, FACTORS);
      EightBitKvFolder.write(
          scaled,
          with,
          EightBitKvFolder.ASKS_FOR_IT,
          EightBitKvFolder.named(scales(model.config().layers())));
      EightBitKvFolder.write(scaled, without, EightBitKvFolder.ASKS_FOR_IT, Map.of());
    }

    final double bf16 = perplexity(with, KvCacheType.BF16, texts);
    final double scaled = perplexity(with, KvCacheType.E4M3, texts);
    final double unscaled = perplexity(without, KvCacheType.E4M3, texts);

    assertThat(scaled / bf16).as("by its scales").isBetween(0.97, 1.03);
    assertThat(unscaled / bf16).as("scale 1").isGreaterThan(2);
  }

  private static double perplexity(Path folder, KvCacheType type, List<Golden> texts) {
    try (Model model = Model.load(folder)) {
      return Perplexity.of(builder(model).kvBlocks(300).kvCacheType(type).build(), config(), texts);
    }
  }

  /** In the second, layers of different scales lie in the same place of different blocks. */
  @ParameterizedTest
  @CsvSource({"LLAMA, 0", "QWEN2, 20", "PHI3, 0", "MIXTRAL, 0"})
  void shouldContinueAsTheReferenceThatHasThem(ModelFamily family, int window) throws IOException {
    final ModelConfig tiny = TestModels.tiny(family);
    final ModelConfig shape =
        window == 0
            ? tiny
            : tiny.toBuilder()
                .layers(4)
                .windows(new LayerWindows(List.of(0, window, 0, window)))
                .build();
    EightBitKvFolder.write(
        EightBitKvFolder.scaled(Model.random(shape, TestSeed.VALUE), FACTORS),
        directory,
        EightBitKvFolder.ASKS_FOR_IT,
        EightBitKvFolder.named(scales(shape.layers())));
    final Random random = new Random(TestSeed.VALUE);
    final List<Request> requests = new ArrayList<>();
    for (int length : new int[] {1, 5, 30, 70}) {
      requests.add(
          Request.builder("r" + length, random.ints(length, 0, 97).toArray())
              .maxTokens(6)
              .sampling(SamplingParams.GREEDY.toBuilder().logprobs(20).build())
              .build());
    }

    try (Model model = Model.load(directory)) {
      final Generation actual =
          Generation.of(builder(model).kvBlocks(300).build(), config(), requests);

      final ReferenceCheck check =
          new ReferenceCheck(model.withMaxPositions(MAX_MODEL_LEN), KvPrecision.EIGHT_BITS);
      check.follow("seed=" + TestSeed.VALUE, requests, actual);
      assertThat(check.ties).as("%s", check).isLessThanOrEqualTo(3);
      assertThat(check.worstLogprobError).as("%s", check).isLessThan(ReferenceCheck.LOGPROB_ERROR);
    }
  }

  @Test
  void shouldKeepWhatTheCheckpointAsksForUnlessSet() throws IOException {
    final List<KvScale> scales = scales(3);
    write(EightBitKvFolder.ASKS_FOR_IT, EightBitKvFolder.named(scales));
    try (Model model = Model.load(directory)) {
      assertThat(KvCacheType.of(model)).isEqualTo(KvCacheType.E4M3);
      assertThat(kvCache(builder(model)))
          .isEqualTo(
              "fp8_e4m3; of the checkpoint: asked for by kv_cache_scheme, with scales for all 3"
                  + " layers: keys 3.984375E-4 to 104.448, values 3.59375E-4 to 11.776");
      assertThat(CudaExecutor.memory(model, 4).kvElementBytes()).isEqualTo(1);
      assertThat(kvCache(builder(model).kvCacheType(KvCacheType.BF16)))
          .startsWith("bfloat16; of the checkpoint: asked for by kv_cache_scheme, with scales");
    }
    write(EightBitKvFolder.ASKS_FOR_NOTHING, EightBitKvFolder.named(scales));
    try (Model model = Model.load(directory)) {
      assertThat(kvCache(builder(model)))
          .startsWith("bfloat16; of the checkpoint: not asked for, with scales for all 3 layers");
      assertThat(CudaExecutor.memory(model, 4).kvElementBytes()).isEqualTo(2);
      assertThat(kvCache(builder(model).kvCacheType(KvCacheType.E4M3)))
          .startsWith("fp8_e4m3; of the checkpoint: not asked for, with scales for all 3 layers");
    }
    try (Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), 3)) {
      assertThat(kvCache(builder(model))).isEqualTo("bfloat16");
      assertThat(kvCache(builder(model).kvCacheType(KvCacheType.E4M3)))
          .isEqualTo(
              "fp8_e4m3, scale 1: the checkpoint has no scales, and what is beyond 448 becomes that");
    }
  }

  @Test
  void shouldRefuseInWordsWhatNoKernelDoes() throws IOException {
    write(EightBitKvFolder.ASKS_FOR_IT.replace("\"float\"", "\"int\""), Map.of());
    try (Model model = Model.load(directory)) {
      final String reason = "kv_cache_scheme must be of eight-bit floats with one scale";
      assertThatThrownBy(() -> builder(model).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(reason)
          .hasMessageEndingWith("; kvCacheType BF16 keeps keys and values as they are computed");
      assertThatThrownBy(() -> builder(model).kvCacheType(KvCacheType.E4M3).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(reason);
      assertThatThrownBy(() -> CudaExecutor.memory(model, 4))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(reason);
      assertThat(kvCache(builder(model).kvCacheType(KvCacheType.BF16)))
          .startsWith("bfloat16; of the checkpoint: " + reason);
    }
    write(
        EightBitKvFolder.ASKS_FOR_IT,
        EightBitKvFolder.named(List.of(KvScale.ONE, new KvScale(1, 128))));
    try (Model model = Model.load(directory)) {
      assertThatThrownBy(() -> builder(model).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "layer 1 of the checkpoint: scales of pages must be in [2^-100, 128): values=128.0;"
                  + " kvCacheType BF16 keeps keys and values as they are computed");
    }
  }

  private void write(String config, Map<String, float[]> scales) throws IOException {
    EightBitKvFolder.write(
        Model.random(TestModels.tiny(ModelFamily.LLAMA), 3), directory, config, scales);
  }

  private static String kvCache(CudaExecutorBuilder builder) {
    try (CudaExecutor executor = builder.kvBlocks(8).build()) {
      return executor.attributes().get("kv_cache");
    }
  }

  private static CudaExecutorBuilder builder(Model model) {
    return CudaExecutor.builder(model, new SystemNanoClock())
        .blockSize(4)
        .maxNumSeqs(9)
        .maxNumBatchedTokens(128)
        .maxModelLen(MAX_MODEL_LEN);
  }

  private static SchedulerConfig config() {
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(9)
                .maxNumBatchedTokens(32)
                .maxModelLen(MAX_MODEL_LEN)
                .build())
        .build();
  }
}
