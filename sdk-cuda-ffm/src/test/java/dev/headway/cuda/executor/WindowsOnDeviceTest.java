package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.request.Request;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.cuda.emulation.TestSeed;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.TinyModel;
import dev.headway.executor.speculation.NgramOptions;
import dev.headway.scheduler.time.SystemNanoClock;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Models with windows give blocks back while they run, and do not look at them any more: a text in
 * a pool that holds little more than its windows, whose blocks are overwritten with what never was
 * computed as soon as they have left one.
 */
@OnCudaDriver
class WindowsOnDeviceTest {

  private static final int BLOCK_SIZE = 4;
  private static final int BUDGET = 8;
  private static final int MAX_MODEL_LEN = 128;
  private static final int PROMPT = 50;
  private static final int OUTPUTS = 60;
  private static final int DRAFTS = 2;

  static List<TinyModel> models() {
    return Families.withWindows();
  }

  @ParameterizedTest
  @MethodSource("models")
  void shouldNotReadWhatLeftTheWindow(TinyModel tiny) {
    final SchedulerConfig config = config(PipelineOptions.DEFAULT, SpeculationOptions.NONE);
    shouldNotReadWhatLeftTheWindow(tiny, config, CudaGraphs.ENABLED);
  }

  @ParameterizedTest
  @MethodSource("models")
  void shouldNotReadWhatLeftTheWindowWithTwoStepsInFlight(TinyModel tiny) {
    final SchedulerConfig config = config(PipelineOptions.ASYNC, SpeculationOptions.NONE);
    shouldNotReadWhatLeftTheWindow(tiny, config, CudaGraphs.DISABLED);
  }

  @ParameterizedTest
  @MethodSource("models")
  void shouldNotReadWhatLeftTheWindowWithDrafts(TinyModel tiny) {
    final SchedulerConfig config =
        config(PipelineOptions.DEFAULT, SpeculationOptions.of(SpeculativeMethod.NGRAM, DRAFTS));
    shouldNotReadWhatLeftTheWindow(tiny, config, CudaGraphs.ENABLED);
  }

  private static void shouldNotReadWhatLeftTheWindow(
      TinyModel tiny, SchedulerConfig config, CudaGraphs graphs) {
    final long seed = TestSeed.VALUE;
    final Model model = Model.random(tiny.config(), seed).withMaxPositions(MAX_MODEL_LEN);
    final int[] prompt = new Random(seed).ints(PROMPT, 0, 97).toArray();
    final List<Request> requests = List.of(Request.builder("r", prompt).maxTokens(OUTPUTS).build());
    final boolean pipelined = config.pipeline().equals(PipelineOptions.ASYNC);
    final int inFlight = BUDGET * (pipelined ? 2 : 1);
    final CudaExecutorBuilder builder =
        CudaExecutor.builder(model, new SystemNanoClock())
            .blockSize(BLOCK_SIZE)
            .kvBlocks(8 + blocksToHold(tiny, inFlight))
            .maxNumSeqs(2)
            .maxNumBatchedTokens(BUDGET)
            .maxModelLen(MAX_MODEL_LEN)
            .stepsInFlight(pipelined ? 2 : 1)
            .graphs(graphs);
    if (!config.speculation().equals(SpeculationOptions.NONE)) {
      builder.ngrams(new NgramOptions(1, 2), DRAFTS);
    }
    final OverwritingExecutor executor = new OverwritingExecutor(builder.build());

    final Generation made = Generation.of(executor, config, requests);

    final ReferenceCheck check = new ReferenceCheck(model);
    check.follow("seed=" + seed + ", " + tiny, requests, made);
    assertThat(check.tokens).isEqualTo(OUTPUTS);
    assertThat(check.ties).isLessThan(OUTPUTS / 10);
    assertThat(made.preemptions()).isZero();
    assertThat(executor.overwritten).isGreaterThan(4);
  }

  private static int blocksToHold(TinyModel tiny, int inFlight) {
    return KvLayers.of(tiny.config()).kvGroups(BLOCK_SIZE).stream()
        .mapToInt(group -> group.blocksToHold(PROMPT + OUTPUTS, inFlight, MAX_MODEL_LEN))
        .sum();
  }

  private static SchedulerConfig config(PipelineOptions pipeline, SpeculationOptions speculation) {
    return SchedulerConfig.builder(
            SchedulerLimits.builder()
                .maxNumSeqs(2)
                .maxNumBatchedTokens(BUDGET)
                .maxModelLen(MAX_MODEL_LEN)
                .build())
        .prefixCache(PrefixCacheOptions.disabled())
        .pipeline(pipeline)
        .speculation(speculation)
        .build();
  }
}
