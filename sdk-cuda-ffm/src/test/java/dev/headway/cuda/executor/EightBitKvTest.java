package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.reference.Golden;
import dev.headway.executor.reference.KvPrecision;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.reference.ReferenceModel;
import dev.headway.scheduler.time.SystemNanoClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys and values that are kept as eight-bit floats. */
@OnCudaDriver
class EightBitKvTest {
  private static final int MAX_MODEL_LEN = 128;

  @BeforeEach
  void workOnlyWhenSomebodyWaits() {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
  }

  @ParameterizedTest
  @EnumSource(
      value = ModelFamily.class,
      names = {"LLAMA", "QWEN3", "PHI3", "MIXTRAL", "GLM4_MOE", "GPT_OSS"})
  void shouldContinueAsTheReferenceThatRoundsThem(ModelFamily family) {
    final Model model = Model.random(TestModels.tiny(family), TestSeed.VALUE);
    final Random random = new Random(TestSeed.VALUE);
    final List<Request> requests = new ArrayList<>();
    for (int length : new int[] {1, 5, 30, 70}) {
      requests.add(
          Request.builder("r" + length, random.ints(length, 0, 97).toArray())
              .maxTokens(6)
              .sampling(SamplingParams.GREEDY.toBuilder().logprobs(97).build())
              .build());
    }

    final Generation actual =
        Generation.of(
            builder(model).kvBlocks(300).kvCacheType(KvCacheType.E4M3).build(), config(), requests);

    final ReferenceCheck check =
        new ReferenceCheck(model.withMaxPositions(MAX_MODEL_LEN), KvPrecision.EIGHT_BITS);
    check.follow("seed=" + TestSeed.VALUE, requests, actual);
    assertThat(check.ties).as("%s", check).isLessThanOrEqualTo(3);
    assertThat(check.worstLogprobError).as("%s", check).isLessThan(ReferenceCheck.LOGPROB_ERROR);
  }

  /** What a trained model says of its own stories, each token after all before it. */
  @Test
  void shouldKeepWhatTheModelKnows() {
    final List<Golden> texts = Perplexity.texts();
    try (Model model = Model.load(TestModels.stories260K())) {
      final double exact = Perplexity.of(new ReferenceModel(model, Precision.FLOAT32), texts);
      final double rounded =
          Perplexity.of(
              new ReferenceModel(model, Precision.BFLOAT16, KvPrecision.EIGHT_BITS), texts);
      final double bf16 = Perplexity.of(builder(model).kvBlocks(300).build(), config(), texts);
      final double actual =
          Perplexity.of(
              builder(model).kvBlocks(300).kvCacheType(KvCacheType.E4M3).build(), config(), texts);

      assertThat(bf16 / exact).isBetween(0.99, 1.01);
      assertThat(actual / exact).as("against the model").isBetween(0.97, 1.03);
      assertThat(actual / rounded).as("against what rounds them").isBetween(0.99, 1.01);
      assertThat(actual).as("they are rounded").isNotEqualTo(bf16);
    }
  }

  @Test
  @EmulatorOnly("the device must have little memory")
  void shouldHoldTwiceAsManyBlocks() {
    final Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), 3);
    new Emulator.Device().totalBytes(64L << 20).install();
    try {
      final KvCacheShape bf16 = cache(builder(model));
      final KvCacheShape eight = cache(builder(model).kvCacheType(KvCacheType.E4M3));

      final long bytes = bf16.bytesPerBlock().orElseThrow();
      assertThat(eight.bytesPerBlock()).hasValue(bytes / 2);
      assertThat(eight.numBlocks())
          .isBetween(2 * bf16.numBlocks() - 100, 2 * bf16.numBlocks() + 100);
      assertThat(CudaExecutor.memory(model, 4, KvCacheType.E4M3).kvElementBytes()).isEqualTo(1);
    } finally {
      new Emulator.Device().install();
    }
  }

  private static KvCacheShape cache(CudaExecutorBuilder builder) {
    try (CudaExecutor executor = builder.build()) {
      return executor.shape().kvCache();
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
