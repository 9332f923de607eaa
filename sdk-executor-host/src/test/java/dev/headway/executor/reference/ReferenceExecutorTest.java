package dev.headway.executor.reference;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.executor.Executor;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.StepOutput;
import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.FakePlan;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Blocks of 4 tokens; every request is its prompt, computed here as the plan says. */
class ReferenceExecutorTest {

  private static final int BLOCKS = 10;

  private final Model model = Model.random(TestModels.tiny(ModelFamily.QWEN3), 11);
  private final ReferenceExecutor executor = executor(new VirtualClock());

  @Test
  void shouldReadABlockThatWasCopied() throws InterruptedException {
    final Request whole = request("whole", 5, 6, 7, 8, 9, 10);
    run(executor, new FakePlan().entry(whole, 0, 4, 3));

    final StepOutput copied =
        run(executor, new FakePlan().copies(3, 5, 5, 6).entry(whole, 4, 2, 6, 7));

    assertThat(copied.token(0, 0)).isEqualTo(alone(whole));
  }

  @Test
  void shouldZeroBlocksBeforeCopying() throws InterruptedException {
    final Request whole = request("whole", 5, 6, 7, 8, 9, 10);
    run(executor, new FakePlan().entry(whole, 0, 4, 3));

    final StepOutput copied =
        run(executor, new FakePlan().zeroed(5).copies(3, 5).entry(whole, 4, 2, 5, 7));
    final StepOutput zeroed = run(executor, new FakePlan().zeroed(8).entry(whole, 4, 2, 8, 7));

    assertThat(copied.token(0, 0)).isEqualTo(alone(whole));
    assertThat(zeroed.failure(0)).isNull(); // nobody wrote block 8: it held no numbers
  }

  @Test
  void shouldSaveWhatABlockHeldBeforeItLoads() throws InterruptedException {
    final ReferenceExecutor tiered = builder().numBlocks(BLOCKS).hostBlocks(2).build();
    final Request first = request("first", 5, 6, 7, 8, 9, 10);
    final Request second = request("second", 1, 2, 3, 4, 9, 10);
    run(tiered, new FakePlan().entry(first, 0, 4, 3));
    run(tiered, new FakePlan().saves(3, 0).entry(second, 0, 4, 3));

    final StepOutput swapped =
        run(tiered, new FakePlan().saves(3, 1).loads(0, 3).entry(first, 4, 2, 3, 7));
    final StepOutput loaded = run(tiered, new FakePlan().loads(1, 5).entry(second, 4, 2, 5, 7));

    assertThat(swapped.token(0, 0)).isEqualTo(alone(first));
    assertThat(loaded.token(0, 0)).isEqualTo(alone(second));
    assertThat(alone(first)).isNotEqualTo(alone(second)); // or the test could not fail
    assertThat(tiered.shape().hostBlocks()).isEqualTo(2);
  }

  @Test
  void shouldFailAnEntryThatReadsWhatNobodyWroteAndNoOther() throws InterruptedException {
    final Request stray = request("stray", 5, 6, 7, 8, 9, 10);
    final Request good = request("good", 1, 2, 3);

    final StepOutput output =
        run(executor, new FakePlan().entry(stray, 4, 2, 1, 2).entry(good, 0, 3, 3));

    assertThat(output.failure(0))
        .isInstanceOf(ArithmeticException.class)
        .hasMessage(
            "logits must be finite: tokenId=0, logit=NaN, position=6; the weights overflow or KV"
                + " was read before it was written");
    assertThat(output.failure(1)).isNull();
    assertThat(output.token(1, 0)).isEqualTo(alone(good));
  }

  @Test
  void shouldFailAnEntryWhoseTokenIsNotInTheVocabularyAndNoOther() throws InterruptedException {
    final Request foreign = request("foreign", 1, 97);
    final Request good = request("good", 1, 2, 3);

    final StepOutput output =
        run(executor, new FakePlan().entry(foreign, 0, 2, 1).entry(good, 0, 3, 2));

    assertThat(output.failure(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("token ids must be in [0, vocab_size): tokenId=97, position=1, vocab_size=97");
    assertThat(output.token(1, 0)).isEqualTo(alone(good));
  }

  @Test
  void shouldFailAnEntryLongerThanTheContextOfTheModel() throws InterruptedException {
    final Request longest = request("longest", new int[257]);

    final StepOutput output = run(executor, new FakePlan().entry(longest, 256, 1, new int[65]));

    assertThat(output.failure(0))
        .hasMessage(
            "a context must not be longer than the executor's: tokens=257, maxModelLen=256; lower"
                + " the engine's maxModelLen");
  }

  @Test
  void shouldFailAnEntryWhoseBlocksAreNotThere() throws InterruptedException {
    final Request request = request("outside", 1, 2, 3, 4, 5);

    assertThat(run(executor, new FakePlan().entry(request, 0, 5, 1, BLOCKS)).failure(0))
        .hasMessage("blocks must be in [1, numBlocks): block=10, numBlocks=10, request='outside'");
    assertThat(run(executor, new FakePlan().entry(request, 0, 5, 0, 1)).failure(0))
        .hasMessage("blocks must be in [1, numBlocks): block=0, numBlocks=10, request='outside'");
    assertThat(run(executor, new FakePlan().entry(request, 0, 5, 1)).failure(0))
        .hasMessage(
            "the block table must reach the last token to compute: blocks=1, needed=2,"
                + " request='outside'");
  }

  @Test
  void shouldFailAnEntryWithAnAdapter() throws InterruptedException {
    final Request request =
        Request.builder("adapted", 1).maxTokens(1).lora(new LoraAdapter(1, "a")).build();

    assertThat(run(executor, new FakePlan().entry(request, 0, 1, 1)).failure(0))
        .hasMessage("this executor has no LoRA adapters: request='adapted'");
  }

  @Test
  void shouldRefuseDraftsAndSeveralGroups() {
    final Request request = request("r", 1);

    assertThatThrownBy(() -> executor.submit(new FakePlan().entry(request, 0, 1, 1).drafts(2)))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage(
            "this executor has no draft tokens: stepId=1; give it a way to propose them, or switch"
                + " the engine's speculation off");
    assertThatThrownBy(() -> executor.submit(new FakePlan().groups(2).entry(request, 0, 1, 1)))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage(
            "a plan must have block tables for each of the executor's groups: groupCount=2,"
                + " groups=[FullAttention[blockSize=4]]");
  }

  @Test
  void shouldAnswerAnEmptyPlanAndOneStepAtATime() throws InterruptedException {
    assertThat(run(executor, new FakePlan()).size()).isZero();
    assertThatThrownBy(() -> executor.await(new StepOutput(), 1))
        .isInstanceOf(IllegalStateException.class);
    executor.submit(new FakePlan());
    assertThatThrownBy(() -> executor.submit(new FakePlan()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldTimeThePartsOfAStep() throws InterruptedException {
    final StepOutput output =
        run(
            executor(new SystemNanoClock()),
            new FakePlan().entry(request("r", 1, 2, 3, 4), 0, 4, 1));

    assertThat(output.prepareNs()).isPositive();
    assertThat(output.forwardNs()).isPositive();
    assertThat(output.sampleNs()).isPositive();
  }

  @Test
  void shouldTellTheShapeOfItsCache() {
    final long bytesPerBlock = 4 * 4 * 2 * 3 * 16; // tokens, float, K and V, layers, kvDim
    assertThat(executor.shape().kvCache().bytesPerBlock()).hasValue(bytesPerBlock);
    assertThat(executor.shape().vocabularySize()).isEqualTo(97);
    assertThat(builder().kvCacheBytes(20 * bytesPerBlock - 1).build().shape().kvCache().numBlocks())
        .isEqualTo(19);
  }

  @Test
  void shouldRefuseACacheThatHoldsNothing() {
    assertThatThrownBy(() -> builder().build())
        .hasMessage("one of numBlocks and kvCacheBytes must be given: numBlocks=0, kvCacheBytes=0");
    assertThatThrownBy(() -> builder().kvCacheBytes(1_537).build())
        .hasMessage(
            "the KV cache must have at least 2 blocks, the null block and one to use: numBlocks=0,"
                + " kvCacheBytes=1537, bytesPerBlock=1536");
    assertThatThrownBy(() -> builder().blockSize(0).numBlocks(2).build())
        .hasMessage("blockSize must be >= 1: blockSize=0");
    assertThatThrownBy(() -> builder().numBlocks(1 << 28).build())
        .hasMessageContaining("the keys of a layer must fit a Java array");
  }

  @ParameterizedTest
  @EnumSource(names = {"MIXTRAL", "QWEN3_MOE", "GLM4_MOE"})
  void shouldCountAnExpertOnceHoweverManyTokensItHas(ModelFamily family)
      throws InterruptedException {
    final ModelConfig config = TestModels.tiny(family);
    final ReferenceExecutor routed =
        ReferenceExecutor.builder(Model.random(config, 11), new VirtualClock())
            .blockSize(4)
            .numBlocks(BLOCKS)
            .build();
    long ofOneToken = 0;
    for (int layer = 0; layer < config.layers(); layer++) {
      ofOneToken += config.expertsIn(layer) == null ? 0 : config.experts().expertsPerToken();
    }
    final Request one = request("one", 5);
    final Request same = request("same", 5);
    final Request others = request("others", 6, 7, 8, 9);

    assertThat(run(routed, new FakePlan().entry(one, 0, 1, 3)).activatedExperts())
        .isEqualTo(ofOneToken);
    assertThat(
            run(routed, new FakePlan().entry(one, 0, 1, 3).entry(same, 0, 1, 4)).activatedExperts())
        .isEqualTo(ofOneToken);
    assertThat(
            run(routed, new FakePlan().entry(one, 0, 1, 3).entry(others, 0, 4, 4))
                .activatedExperts())
        .isGreaterThan(ofOneToken)
        .isLessThan(5 * ofOneToken);
    assertThat(run(executor, new FakePlan().entry(one, 0, 1, 3)).activatedExperts())
        .as("a dense model has none")
        .isEqualTo(ABSENT);
  }

  private ReferenceExecutorBuilder builder() {
    return ReferenceExecutor.builder(model, new VirtualClock()).blockSize(4);
  }

  private ReferenceExecutor executor(NanoClock clock) {
    return ReferenceExecutor.builder(model, clock).blockSize(4).numBlocks(BLOCKS).build();
  }

  private static StepOutput run(Executor executor, FakePlan plan) throws InterruptedException {
    final StepOutput output = new StepOutput();
    output.begin(plan.stepId(), plan.size());
    executor.submit(plan);
    assertThat(executor.await(output, TimeUnit.SECONDS.toNanos(1))).isTrue();
    return output;
  }

  private int alone(Request request) {
    final int[] ids = new int[request.promptTokens()];
    request.copyPromptTokenIds(0, ids, 0, ids.length);
    final float[] logits = new ReferenceModel(model, Precision.FLOAT32).logits(ids);
    int best = 0;
    for (int token = 1; token < logits.length; token++) {
      best = logits[token] > logits[best] ? token : best;
    }
    return best;
  }

  private static Request request(String id, int... prompt) {
    return Request.builder(id, prompt).maxTokens(4).sampling(SamplingParams.GREEDY).build();
  }
}
