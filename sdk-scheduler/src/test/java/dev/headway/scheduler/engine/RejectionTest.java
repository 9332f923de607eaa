package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.assertHealthy;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.engine;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.prompt;
import static dev.headway.scheduler.engine.Engines.rejected;
import static dev.headway.scheduler.engine.Engines.request;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Rejected;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.RejectedEvent;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.RejectReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.StopRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is refused at submission: the whole message, twice, and a healthy request afterwards. */
class RejectionTest {

  private final ScriptedExecutor executor = executor();

  @Test
  void shouldRejectAPromptThatFillsTheContext() {
    final Engine engine = engine(executor);

    assertRejectedTwice(
        engine,
        prompt("long", 128, 1),
        RejectReason.CONTEXT_LENGTH_LIMIT,
        "prompt must be shorter than maxModelLen: id=long, promptTokens=128, maxModelLen=128");
  }

  @Test
  void shouldRejectTransferParametersWithoutAConnector() {
    assertRejectedTwice(
        engine(executor),
        Request.builder("far", 1, 2)
            .maxTokens(3)
            .kvTransferParams(Map.of("remote_port", "1"))
            .build(),
        RejectReason.UNSUPPORTED,
        "the engine must have a KV connector for a request with kvTransferParams: id=far,"
            + " kvTransferParams=[remote_port]; see EngineBuilder.kvConnector");
  }

  @Test
  void shouldTakeThePromptThatIsOneTokenShorter() {
    final Engine engine = engine(executor);

    final RequestHandle handle = engine.submit(prompt("fits", 127, 5));
    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("LENGTH/1");
  }

  @Test
  void shouldRejectAPromptThatCanNeverFitTheKvCache() {
    final ExecutorShape small =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(5).build())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .build();
    final Engine engine = engine(new ScriptedExecutor(small));

    assertRejectedTwice(
        engine,
        prompt("big", 17, 1),
        RejectReason.KV_CACHE_TOO_SMALL,
        "prompt must fit into the KV cache: id=big, promptTokens=17, neededBlocks=5,"
            + " usableBlocks=4; raise the executor's numBlocks or lower maxModelLen");
  }

  @Test
  void shouldEndTheRequestThatFillsTheWholeKvCacheInsteadOfBlockingTheOthers() {
    final ExecutorShape small =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(5).build())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .build();
    final Engine engine = engine(new ScriptedExecutor(small));

    final RequestHandle big = engine.submit(prompt("big", 16, 5));
    final RequestHandle other = engine.submit(request("other", 2));
    stepUntilIdle(engine);

    assertThat(endOf(big)).isEqualTo("KV_CACHE_EXHAUSTED/1");
    assertThat(endOf(other)).isEqualTo("LENGTH/2");
  }

  @Test
  void shouldRejectMinTokensThatCannotBeReached() {
    final Engine engine = engine(executor);
    final StopRule rule = StopRule.maxTokens(200).withMinTokens(124);

    assertRejectedTwice(
        engine,
        Request.builder("min", 1, 2, 3, 4, 5).stopRule(rule).build(),
        RejectReason.MIN_TOKENS_UNREACHABLE,
        "prompt and minTokens must fit into maxModelLen: id=min, promptTokens=5, minTokens=124,"
            + " maxModelLen=128");
  }

  @Test
  void shouldNotOverflowWhenMinTokensIsHuge() {
    final Engine engine = engine(executor);
    final StopRule rule = StopRule.maxTokens(Integer.MAX_VALUE).withMinTokens(Integer.MAX_VALUE);

    assertRejectedTwice(
        engine,
        Request.builder("min", 1, 2).stopRule(rule).build(),
        RejectReason.MIN_TOKENS_UNREACHABLE,
        "prompt and minTokens must fit into maxModelLen: id=min, promptTokens=2,"
            + " minTokens=2147483647, maxModelLen=128");
  }

  @Test
  void shouldEndAtTheContextWhenMaxTokensIsHuge() {
    final Engine engine = engine(executor);

    final RequestHandle handle = engine.submit(request("huge", Integer.MAX_VALUE));
    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("LENGTH/123");
  }

  @Test
  void shouldRejectATokenOutOfTheVocabulary() {
    final Engine engine = engine(executor);

    assertRejectedTwice(
        engine,
        Request.builder("foreign", 3, 1_000, 7).maxTokens(1).build(),
        RejectReason.TOKEN_OUT_OF_VOCABULARY,
        "prompt token ids must be in [0, vocabularySize): id=foreign, tokenId=1000,"
            + " vocabularySize=1000");
  }

  @Test
  void shouldRejectAnItemThatNoEncoderIsThereFor() {
    final Engine engine = engine(executor);
    final Request.Builder request = Request.builder("blind", 1, 1, 2).maxTokens(1);

    assertRejectedTwice(
        engine,
        request.items(List.of(MultiModalItem.of("cat", 0, 2))).build(),
        RejectReason.ENCODER_TOO_SMALL,
        "embeddings of an item must be <= maxItemEmbeddings of EncoderOptions: item=0,"
            + " embeddings=2, maxItemEmbeddings=0; raise that, or use an item without encoder:"
            + " id=blind");
    final RequestHandle handle =
        engine.submit(request.items(List.of(MultiModalItem.withoutEncoder("cat", 0, 2))).build());
    stepUntilIdle(engine);
    assertThat(endOf(handle)).isEqualTo("LENGTH/1");
  }

  @Test
  void shouldRejectADuplicateIdAndLeaveTheFirstUnharmed() {
    final Engine engine = engine(executor);
    final Heard first = new Heard();
    final RequestHandle original = engine.submit(request("same", 3), first);
    engine.step();

    assertRejected(
        engine.submit(request("same", 9)),
        RejectReason.DUPLICATE_ID,
        "request ids must be unique among live requests: id=same");
    assertRejected(
        engine.submit(request("same", 9)),
        RejectReason.DUPLICATE_ID,
        "request ids must be unique among live requests: id=same");
    stepUntilIdle(engine);

    assertThat(endOf(original)).isEqualTo("LENGTH/3");
    assertThat(first.events).containsExactly("0:100", "1:101", "2:102", "LENGTH/3");
    assertHealthy(engine);
  }

  @Test
  void shouldNotCancelTheFirstWhenTheRejectedDuplicateIsCancelled() {
    final Engine engine = engine(executor);
    final RequestHandle original = engine.submit(request("same", 3));

    engine.submit(request("same", 9)).cancel();
    stepUntilIdle(engine);

    assertThat(endOf(original)).isEqualTo("LENGTH/3");
  }

  @Test
  void shouldRejectWithLengthAndLimitWhenTheSubmissionQueueIsFull() {
    final Engine engine = builder(executor).submissionQueueCapacity(2).build();
    final RequestHandle first = engine.submit(request("a", 1));
    final RequestHandle second = engine.submit(request("b", 1));

    assertRejected(
        engine.submit(request("c", 1)),
        RejectReason.QUEUE_FULL,
        "submission queue must have room: id=c, queued=2, submissionQueueCapacity=2; retry later or"
            + " raise submissionQueueCapacity");
    stepUntilIdle(engine);
    final RequestHandle again = engine.submit(request("c", 1));
    stepUntilIdle(engine);

    assertThat(endOf(first)).isEqualTo("LENGTH/1");
    assertThat(endOf(second)).isEqualTo("LENGTH/1");
    assertThat(endOf(again)).isEqualTo("LENGTH/1");
  }

  @Test
  void shouldTellTheListenerOnTheCallingThreadAndTheProbesInTheNextStep() {
    final List<String> reported = new ArrayList<>();
    final Probe probe =
        new Probe() {
          @Override
          public void onRejected(RejectedEvent event) {
            reported.add(event.request().id() + "/" + event.reason());
          }
        };
    final Engine engine = engine(executor, probe);
    final Heard heard = new Heard();

    engine.submit(prompt("long", 500, 1), heard);

    assertThat(heard.events).containsExactly("CONTEXT_LENGTH_LIMIT");
    assertThat(reported).isEmpty();
    engine.step();
    assertThat(reported).containsExactly("long/CONTEXT_LENGTH_LIMIT");
  }

  @Test
  void shouldCountTheRejectionsThatProbesWillNotHearOf() {
    final List<String> reported = new ArrayList<>();
    final Probe probe =
        new Probe() {
          @Override
          public void onRejected(RejectedEvent event) {
            reported.add(event.request().id());
          }
        };
    final Engine engine = builder(executor).submissionQueueCapacity(2).probe(probe).build();

    for (int i = 0; i < 5; i++) {
      engine.submit(prompt("long" + i, 500, 1));
    }
    engine.step();

    assertThat(reported).containsExactly("long0", "long1");
    assertThat(engine.stats().rejected()).isEqualTo(5);
    assertThat(engine.stats().rejectionsUnreported()).isEqualTo(3);
    assertHealthy(engine);
  }

  @Test
  void shouldTakeARequestThatNeedsEveryLimitAtOnce() {
    final Engine engine =
        builder(executor)
            .limits(
                SchedulerLimits.builder()
                    .maxNumSeqs(1)
                    .maxNumBatchedTokens(1)
                    .maxModelLen(2)
                    .build())
            .build();

    final RequestHandle handle = engine.submit(Request.builder("a", 999).maxTokens(1).build());
    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("LENGTH/1");
  }

  private static void assertRejectedTwice(
      Engine engine, Request request, RejectReason reason, String message) {
    assertRejected(engine.submit(request), reason, message);
    assertRejected(engine.submit(request), reason, message);
    assertHealthy(engine);
    assertThat(engine.stats().rejected()).isEqualTo(2);
  }

  private static void assertRejected(RequestHandle handle, RejectReason reason, String message) {
    final Rejected rejected = rejected(handle);
    assertThat(rejected.reason()).isEqualTo(reason);
    assertThat(rejected.message()).isEqualTo(message);
    assertThat(rejected.outputTokens()).isZero();
  }
}
