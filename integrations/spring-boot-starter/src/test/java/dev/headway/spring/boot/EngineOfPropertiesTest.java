package dev.headway.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.FinishReason;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** What the properties make of an application without beans of its own, and what they refuse. */
class EngineOfPropertiesTest {

  private static final String STORIES =
      "../../sdk-executor-host/src/test/resources/models/stories260K-hf";

  @TempDir Path folder;

  @Test
  void shouldAnswerWithTheSimulatedExecutor() {
    Contexts.simulated()
        .run(
            context -> {
              Engine engine = context.getBean(Engine.class);

              assertThat(engine.state()).isEqualTo(EngineState.RUNNING);
              assertThat(Contexts.end(Contexts.submit(engine, "one", 3)).outputTokens())
                  .isEqualTo(3);
            });
  }

  @Test
  void shouldRunTheModelOfADirectory() {
    Contexts.empty()
        .withPropertyValues(
            "headway.model.directory=" + STORIES,
            "headway.kv-cache.blocks=32",
            "headway.kv-cache.block-size=8",
            "headway.limits.max-num-seqs=4",
            "headway.limits.max-model-len=64")
        .run(
            context -> {
              Executor executor = context.getBean(Executor.class);

              assertThat(executor.name()).isEqualTo("reference");
              assertThat(executor.shape().kvCache().numBlocks()).isEqualTo(32);
              assertThat(executor.shape().kvCache().blockSize()).isEqualTo(8);
              assertThat(executor.shape().maxNumSeqs()).isEqualTo(4);
              assertThat(executor.shape().maxModelLen()).hasValue(64);
              assertThat(
                      Contexts.end(Contexts.submit(context.getBean(Engine.class), "one", 3))
                          .outputTokens())
                  .isEqualTo(3);
            });
  }

  @Test
  void shouldSetWhatIsAskedFor() {
    Contexts.simulated(
            "headway.kv-cache.blocks=512",
            "headway.simulated.vocabulary-size=1000",
            "headway.limits.max-num-seqs=8",
            "headway.limits.max-num-batched-tokens=256",
            "headway.limits.max-num-queued-reqs=20",
            "headway.limits.max-num-queued-tokens=4000",
            "headway.scheduling.queue-policy=priority",
            "headway.scheduling.chunked-prefill=disabled",
            "headway.scheduling.prefix-cache=false",
            "headway.scheduling.watermark=0.1",
            "headway.limits.max-model-len=200")
        .run(
            context -> {
              SchedulerConfig config = context.getBean(SchedulerConfig.class);
              ExecutorShape shape = context.getBean(Executor.class).shape();

              assertThat(config.limits().maxNumSeqs()).isEqualTo(8);
              assertThat(config.limits().maxNumBatchedTokens()).isEqualTo(256);
              assertThat(config.limits().maxModelLen()).isEqualTo(200);
              assertThat(config.queueLimits()).isEqualTo(new QueueLimits(20, 4_000));
              assertThat(config.queuePolicy()).isEqualTo(QueuePolicy.PRIORITY);
              assertThat(config.chunkedPrefill()).isEqualTo(ChunkedPrefill.DISABLED);
              assertThat(config.prefixCache().isEnabled()).isFalse();
              assertThat(config.admission().watermark()).isEqualTo(0.1);
              assertThat(shape.kvCache().numBlocks()).isEqualTo(512);
              assertThat(shape.vocabularySize()).isEqualTo(1_000);
            });
  }

  @Test
  void shouldGiveTheCacheASecondTier() {
    Contexts.simulated("headway.kv-cache.host-blocks=64")
        .run(
            context -> {
              assertThat(context.getBean(SchedulerConfig.class).kvOffload().hostBlocks())
                  .isEqualTo(64);
              assertThat(context.getBean(Executor.class).shape().hostBlocks()).isEqualTo(64);
            });
  }

  @Test
  void shouldEndRequestsAfterTheTimeoutOfAll() {
    Contexts.answering("a long answer")
        .withPropertyValues("headway.requests.timeout=1ns")
        .run(
            context ->
                assertThat(
                        Contexts.end(Contexts.submit(context.getBean(Engine.class), "one", 3))
                            .reason())
                    .isEqualTo(FinishReason.DEADLINE));
  }

  @Test
  void shouldUsePoliciesByName() {
    Contexts.simulated("headway.scheduling.policies=vtc(wq=2)+least-computed")
        .run(
            context ->
                assertThat(
                        Contexts.end(Contexts.submit(context.getBean(Engine.class), "one", 3))
                            .reason())
                    .isEqualTo(FinishReason.LENGTH));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          headway.kv-cache.blocks=1          | headway.kv-cache.blocks must be >= 2: headway.kv-cache.blocks=1
          headway.kv-cache.block-size=0      | headway.kv-cache.block-size must be >= 1: headway.kv-cache.block-size=0
          headway.limits.max-num-seqs=0      | headway.limits.max-num-seqs must be >= 1: headway.limits.max-num-seqs=0
          headway.limits.max-model-len=1     | headway.limits.max-model-len must be >= 2: headway.limits.max-model-len=1
          headway.limits.max-num-queued-reqs=-1 | headway.limits.max-num-queued-reqs must be >= 0: headway.limits.max-num-queued-reqs=-1
          headway.scheduling.watermark=1     | headway.scheduling.watermark must be in [0, 1): headway.scheduling.watermark=1.0
          headway.stall-threshold=0s         | headway.stall-threshold must be > 0: headway.stall-threshold=PT0S
          headway.drain-timeout=-1s          | headway.drain-timeout must be >= 0: headway.drain-timeout=PT-1S
          headway.requests.stream-interval=0 | headway.requests.stream-interval must be >= 1: headway.requests.stream-interval=0
          headway.probes.options.csv.dir=out | headway.probes.options must be of probes that headway.probes.names has: probe=csv, names=[]
          """)
  void shouldSayWhatAPropertyMustBe(String property, String message) {
    Contexts.simulated(property)
        .run(context -> assertThat(context).getFailure().rootCause().hasMessage(message));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          headway.scheduling.policies=no-such | no policy named 'no-such'
          headway.probes.names=no-such        | no probe named 'no-such'
          headway.journal.directory=journal   | no probe named 'chronicle'
          headway.scheduling.on-full-queue=evict-worst | EVICT_WORST needs queuePolicy PRIORITY
          """)
  void shouldSayWhatTheEngineRefuses(String property, String beginning) {
    Contexts.simulated(property)
        .run(
            context ->
                assertThat(rooted(context.getStartupFailure()).getMessage()).startsWith(beginning));
  }

  @Test
  void shouldNameThePropertiesOfOptionsThatContradictEachOther() {
    Contexts.simulated("headway.limits.max-num-seqs=8", "headway.limits.max-num-batched-tokens=4")
        .run(
            context -> {
              FailureAnalysis analysis =
                  new HeadwayFailureAnalyzer().analyze(context.getStartupFailure());

              assertThat(analysis.getDescription())
                  .isEqualTo(
                      "The engine of Headway could not be made: maxNumBatchedTokens must be >="
                          + " maxNumSeqs so that every running request can decode:"
                          + " maxNumBatchedTokens=4, maxNumSeqs=8");
              assertThat(analysis.getAction())
                  .isEqualTo(
                      "Change headway.limits.max-num-seqs, headway.limits.max-num-batched-tokens.");
            });
  }

  @Test
  void shouldSayHowAnExecutorIsGotWhenThereIsNone() {
    Contexts.empty()
        .run(
            context ->
                assertThat(rooted(context.getStartupFailure()))
                    .hasMessage(
                        "an engine needs an executor: declare a bean of type"
                            + " dev.headway.api.executor.Executor, or set headway.model.directory"
                            + " to a Hugging Face folder, or headway.executor=simulated"));
  }

  @Test
  void shouldSayWhatIsWrongWithAModelsFolder() {
    Contexts.empty()
        .withPropertyValues("headway.model.directory=" + folder)
        .run(
            context ->
                assertThat(rooted(context.getStartupFailure()))
                    .hasMessageContaining(folder.resolve("config.json").toString()));
  }

  @Test
  void shouldNotLoadAModelThatNothingRuns() {
    Contexts.simulated("headway.model.directory=" + STORIES)
        .run(
            context ->
                assertThat(rooted(context.getStartupFailure()))
                    .hasMessage(
                        "the simulated executor runs no model: headway.executor=simulated,"
                            + " headway.model.directory="
                            + STORIES));
  }

  private static Throwable rooted(Throwable failure) {
    Throwable cause = failure;
    while (!(cause instanceof HeadwayConfigurationException)) {
      cause = cause.getCause();
    }
    return cause;
  }
}
