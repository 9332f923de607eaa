package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.request.Request;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.QuantizedModel;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.model.WeightType;
import dev.headway.scheduler.time.SystemNanoClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Checkpoints of integers (AWQ, GPTQ, {@code pack-quantized}), whose weights are widened to
 * bfloat16 on the device, as the reference rounds them.
 */
@OnCudaDriver
class QuantizedOnDeviceTest {

  private static final int MAX_MODEL_LEN = 100;
  private static final int BUDGET = 32;
  private static final int OUTPUTS = 20;

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource(
      value = QuantizedModel.class,
      mode = Mode.MATCH_ANY,
      names = "AWQ|GPTQ.*|TENSORS_PACKED.*")
  void shouldContinueAsTheReference(QuantizedModel quantized) throws IOException {
    int tokens = 0;
    int ties = 0;
    for (ModelFamily family :
        List.of(
            ModelFamily.LLAMA,
            ModelFamily.QWEN3,
            ModelFamily.PHI3,
            ModelFamily.QWEN3_MOE,
            ModelFamily.GEMMA3)) {
      quantized.write(
          Model.random(TestModels.tiny(family), TestSeed.VALUE, WeightType.F32), directory);
      try (Model model = Model.load(directory)) {
        final List<Request> requests = requests();

        final Generation actual = Generation.of(executor(model), config(), requests);

        final ReferenceCheck check = new ReferenceCheck(model.withMaxPositions(MAX_MODEL_LEN));
        check.follow(family + ", seed=" + TestSeed.VALUE, requests, actual);
        assertThat(check.tokens).isEqualTo(OUTPUTS * requests.size());
        tokens += check.tokens;
        ties += check.ties;
        assertThat(check.worstLogprobError)
            .as("%s: %s", family, check)
            .isLessThan(ReferenceCheck.LOGPROB_ERROR);
      }
    }
    assertThat(ties).as("ties of %d tokens", tokens).isLessThan(tokens / 20);
  }

  private static List<Request> requests() {
    return GreedyRequests.of(OUTPUTS, 1, 5, 45);
  }

  private static CudaExecutor executor(Model model) {
    return CudaExecutor.builder(model, new SystemNanoClock())
        .blockSize(4)
        .kvBlocks(100)
        .maxNumSeqs(4)
        .maxNumBatchedTokens(BUDGET)
        .maxModelLen(MAX_MODEL_LEN)
        .build();
  }

  private static SchedulerConfig config() {
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(4)
                .maxNumBatchedTokens(BUDGET)
                .maxModelLen(MAX_MODEL_LEN)
                .build())
        .build();
  }
}
