package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.TokenBias;
import dev.headway.api.step.StepOutput;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.reference.ReferenceModel;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.testkit.FakePlan;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plans by hand; blocks of 4 tokens, every request is its prompt, computed as the plan says. */
@OnCudaDriver
class PlansTest {

  private static final int BLOCKS = 10;
  private static final double MIN_LEAD = 0.1;

  private final Model model = Model.random(TestModels.tiny(ModelFamily.QWEN3), 67);
  private CudaExecutor executor;

  @BeforeEach
  void open() {
    Emulator.schedule(Emulator.ThreadOrder.BACKWARD, Emulator.Streams.LAZY);
    executor =
        CudaExecutor.builder(model, new SystemNanoClock())
            .blockSize(4)
            .kvBlocks(BLOCKS)
            .hostBlocks(2)
            .maxNumSeqs(4)
            .maxNumBatchedTokens(80)
            .maxModelLen(128)
            .build();
  }

  @AfterEach
  void close() {
    executor.close();
  }

  @Test
  void shouldReadABlockThatWasCopied() throws InterruptedException {
    final Request whole = request("whole", 5, 6, 7, 8, 9, 10);
    run(new FakePlan().entry(whole, 0, 4, 3));

    final StepOutput copied = run(new FakePlan().copies(3, 5, 5, 6).entry(whole, 4, 2, 6, 7));

    assertThat(copied.token(0, 0)).isEqualTo(alone(whole));
  }

  @Test
  void shouldZeroBlocksBeforeCopying() throws InterruptedException {
    final Request whole = request("whole", 5, 6, 7, 8, 9, 10);
    run(new FakePlan().entry(whole, 0, 4, 3));

    final StepOutput copied = run(new FakePlan().zeroed(5).copies(3, 5).entry(whole, 4, 2, 5, 7));
    final StepOutput zeroed = run(new FakePlan().zeroed(8).entry(whole, 4, 2, 8, 7));

    assertThat(copied.token(0, 0)).isEqualTo(alone(whole));
    assertThat(zeroed.failure(0)).isNull(); // nobody wrote block 8: it held no numbers
  }

  @Test
  void shouldSaveWhatABlockHeldBeforeItLoads() throws InterruptedException {
    final Request first = request("first", 5, 6, 7, 8, 9, 10);
    final Request second = request("second", 1, 2, 3, 4, 9, 10);
    run(new FakePlan().entry(first, 0, 4, 3));
    run(new FakePlan().saves(3, 0).entry(second, 0, 4, 3));

    final StepOutput swapped = run(new FakePlan().saves(3, 1).loads(0, 3).entry(first, 4, 2, 3, 7));
    final StepOutput loaded = run(new FakePlan().loads(1, 5).entry(second, 4, 2, 5, 7));

    assertThat(swapped.token(0, 0)).isEqualTo(alone(first));
    assertThat(loaded.token(0, 0)).isEqualTo(alone(second));
    assertThat(alone(first)).isNotEqualTo(alone(second)); // or the test could not fail
    assertThat(executor.shape().hostBlocks()).isEqualTo(2);
  }

  @Test
  void shouldSaveAndLoadInAStepThatComputesNothing() throws InterruptedException {
    final Request first = request("first", 5, 6, 7, 8, 9, 10);
    run(new FakePlan().entry(first, 0, 4, 3));

    run(new FakePlan().saves(3, 1));
    run(new FakePlan().zeroed(3));
    run(new FakePlan().loads(1, 8));

    assertThat(run(new FakePlan().entry(first, 4, 2, 8, 7)).token(0, 0)).isEqualTo(alone(first));
  }

  @Test
  void shouldFailAnEntryThatReadsWhatNobodySaved() throws InterruptedException {
    final Request stray = request("stray", 5, 6, 7, 8, 9, 10);

    final StepOutput output = run(new FakePlan().loads(0, 3).entry(stray, 4, 2, 3, 7));

    assertThat(output.failure(0)).isInstanceOf(ArithmeticException.class);
  }

  @Test
  void shouldFailAnEntryThatReadsWhatNobodyWroteAndNoOther() throws InterruptedException {
    final Request stray = request("stray", 5, 6, 7, 8, 9, 10);
    final Request good = request("good", 1, 2, 3);

    final StepOutput output = run(new FakePlan().entry(stray, 4, 2, 1, 2).entry(good, 0, 3, 3));

    assertThat(output.failure(0))
        .isInstanceOf(ArithmeticException.class)
        .hasMessage(
            "logits must be finite: tokenId=0, logit=NaN, position=6; the weights overflow or KV"
                + " was read before it was written");
    assertThat(output.failure(1)).isNull();
    assertThat(output.token(1, 0)).isEqualTo(alone(good));
  }

  /** Penalties change the logits before they are sampled. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldFailAnEntryWithPenaltiesThatReadsWhatNobodyWrote(boolean logprobs)
      throws InterruptedException {
    final SamplingParams.Builder params = SamplingParams.builder().frequencyPenalty(0.5f);
    final Request stray =
        Request.builder("stray", 5, 6, 7, 8, 9, 10)
            .maxTokens(4)
            .sampling(logprobs ? params.logprobs(3).build() : params.build())
            .build();
    final Request good = request("good", 1, 2, 3);

    final StepOutput output = run(new FakePlan().entry(good, 0, 3, 3).entry(stray, 4, 2, 1, 2));

    assertThat(output.failure(0)).isNull();
    assertThat(output.token(0, 0)).isEqualTo(alone(good));
    assertThat(output.failure(1)).isInstanceOf(ArithmeticException.class);
  }

  @Test
  void shouldShareABlockThatTheSameStepComputes() throws InterruptedException {
    final Request first = request("first", 5, 6, 7, 8, 9, 10);
    final Request second = request("second", 5, 6, 7, 8, 11);

    final StepOutput output =
        run(new FakePlan().entry(second, 4, 1, 3, 4).entry(first, 0, 6, 3, 5));

    assertThat(output.token(0, 0)).isEqualTo(alone(second));
    assertThat(output.token(1, 0)).isEqualTo(alone(first));
  }

  @Test
  void shouldFailAnEntryThatCannotBeRunAndNoOther() throws InterruptedException {
    final Request good = request("good", 1, 2, 3);

    assertFails(
        good,
        new FakePlan().entry(request("foreign", 1, 97), 0, 2, 1),
        "token ids must be in [0, vocab_size): tokenId=97, position=1, vocab_size=97");
    assertFails(
        good,
        new FakePlan().entry(request("longest", new int[129]), 128, 1, new int[33]),
        "a context must not be longer than the executor's: tokens=129, maxModelLen=128; lower the"
            + " engine's maxModelLen");
    final Request outside = request("outside", 1, 2, 3, 4, 5);
    assertFails(
        good,
        new FakePlan().entry(outside, 0, 5, 1, BLOCKS),
        "blocks must be in [1, numBlocks): block=10, numBlocks=10, request='outside'");
    assertFails(
        good,
        new FakePlan().entry(outside, 0, 5, 0, 1),
        "blocks must be in [1, numBlocks): block=0, numBlocks=10, request='outside'");
    assertFails(
        good,
        new FakePlan().entry(outside, 0, 5, 1),
        "the block table must reach the last token to compute: blocks=1, needed=2,"
            + " request='outside'");
    assertFails(
        good,
        new FakePlan()
            .entry(
                Request.builder("adapted", 1).maxTokens(1).lora(new LoraAdapter(1, "a")).build(),
                0,
                1,
                1),
        "this executor has no LoRA adapters: request='adapted'");
    assertFails(
        good,
        new FakePlan()
            .entry(request("constrained", 1), 0, 1, 1)
            .constraints(new FirstEntryMask(97, 1)),
        "a grammar must allow a token: vocab_size=97");
    assertFails(
        good,
        new FakePlan()
            .entry(request("drafts", 1), 0, 1, 1)
            .constraints(new FirstEntryMask(97, 2, 5)),
        "an entry must have a mask, and one behind each of its drafts: request='drafts', drafts=0,"
            + " rows=2");
    assertFails(
        good,
        new FakePlan().entry(banning(97), 0, 1, 1),
        "tokens of biases and banned sequences must be in the vocabulary: tokenId=97,"
            + " vocab_size=97");
    assertFails(
        good,
        new FakePlan().entry(banning(5), 0, 1, 1).constraints(new FirstEntryMask(97, 1, 5)),
        "grammar, banned sequences and min_tokens together must leave a token to sample:"
            + " position=1; each leaves some, but none is left by all of them");
  }

  @Test
  void shouldSampleTheOneTokenThatIsAllowed() throws InterruptedException {
    final Request good = request("good", 1, 2, 3);
    for (int token : new int[] {0, 31, 32, 96}) {
      final StepOutput output =
          run(
              new FakePlan()
                  .entry(request("constrained", 4, 5), 0, 2, 1)
                  .entry(good, 0, 3, 2)
                  .constraints(new FirstEntryMask(97, 1, token)));

      assertThat(output.token(0, 0)).isEqualTo(token);
      assertThat(output.token(1, 0)).isEqualTo(alone(good));
    }
  }

  private static Request banning(int token) {
    return Request.builder("banning", 1)
        .maxTokens(1)
        .sampling(SamplingParams.builder().tokenBias(TokenBias.NONE.withBan(token)).build())
        .build();
  }

  private void assertFails(Request good, FakePlan plan, String message)
      throws InterruptedException {
    final StepOutput output = run(plan.entry(good, 0, 3, 2));

    assertThat(output.failure(0)).hasMessage(message);
    assertThat(output.failure(1)).isNull();
    assertThat(output.token(1, 0)).isEqualTo(alone(good));
  }

  @Test
  void shouldFailAnEntryWhoseTokenNobodySampled() throws InterruptedException {
    final StepOutput output = run(new FakePlan().entry(request("ahead", 1, 2), 2, 1, 1));

    assertThat(output.failure(0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "only the token sampled in the step before may be unknown: request='ahead',"
                + " knownTokens=2, computedTokens=2, scheduledTokens=1, previousStepId=0");
  }

  @Test
  void shouldRefuseWhatItCannotDo() {
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
    final Request wide = request("wide", new int[81]);
    assertThatThrownBy(() -> executor.submit(new FakePlan().entry(wide, 0, 81, new int[21])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a step must fit the executor's memory: requests=1, maxNumSeqs=4, tokens=81,"
                + " maxNumBatchedTokens=80; lower the engine's limits or raise the executor's");
  }

  @Test
  void shouldAnswerAnEmptyPlanAndOneStepAtATime() throws InterruptedException {
    assertThat(run(new FakePlan()).size()).isZero();
    assertThatThrownBy(() -> executor.await(new StepOutput(), 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no step is out");
    executor.submit(new FakePlan());
    assertThatThrownBy(() -> executor.submit(new FakePlan()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "no more steps than maxStepsInFlight may be out: submitted=1, maxStepsInFlight=1");
  }

  /** One step's blocks are packed one after the other, whatever their number. */
  @Test
  void shouldReadItsOwnBlocksWhenContextsDiffer() throws InterruptedException {
    final Request longer = request("longer", 5, 6, 7, 8, 9, 10, 11, 12, 13);
    final Request shorter = request("shorter", 1, 2, 3);
    run(new FakePlan().entry(longer, 0, 8, 3, 4).entry(shorter, 0, 2, 6));

    final StepOutput replayed =
        run(new FakePlan().entry(longer, 8, 1, 3, 4, 5).entry(shorter, 2, 1, 6));
    final StepOutput chunks =
        run(new FakePlan().entry(longer, 4, 5, 3, 4, 5).entry(shorter, 1, 2, 6));

    for (StepOutput output : List.of(replayed, chunks)) {
      assertThat(output.token(0, 0)).isEqualTo(alone(longer));
      assertThat(output.token(1, 0)).isEqualTo(alone(shorter));
    }
  }

  @Test
  void shouldTimeThePartsOfAStepAndTellTheMemoryInUse() throws InterruptedException {
    final StepOutput output = run(new FakePlan().entry(request("r", 1, 2, 3, 4), 0, 4, 1));

    assertThat(output.prepareNs()).isPositive();
    assertThat(output.forwardNs()).isPositive();
    assertThat(output.sampleNs()).isPositive();
    assertThat(output.deviceMemoryUsedBytes()).isPositive();
  }

  @Test
  void shouldTellTheShapeOfItsCache() {
    final long bytesPerBlock = 4 * 2 * 2 * 3 * 16; // tokens, bf16, K and V, layers, kvDim
    assertThat(executor.shape().kvCache().bytesPerBlock()).hasValue(bytesPerBlock);
    assertThat(executor.shape().kvCache().numBlocks()).isEqualTo(BLOCKS);
    assertThat(executor.shape().vocabularySize()).isEqualTo(97);
    assertThat(executor.shape().maxStepsInFlight()).isEqualTo(1);
    assertThat(executor.name()).isEqualTo("cuda");
  }

  private StepOutput run(FakePlan plan) throws InterruptedException {
    final StepOutput output = new StepOutput();
    output.begin(plan.stepId(), plan.size());
    executor.submit(plan);
    assertThat(executor.await(output, TimeUnit.SECONDS.toNanos(60))).isTrue();
    return output;
  }

  /**
   * What the reference answers. Its best logit leads by more than roundings can turn: another order
   * of sums moves a logit by 2 % of their root mean square, see {@link ReferenceCheck}.
   */
  private int alone(Request request) {
    final int[] ids = new int[request.promptTokens()];
    request.copyPromptTokenIds(0, ids, 0, ids.length);
    final float[] logits = new ReferenceModel(model, Precision.BFLOAT16).logits(ids);
    int best = 0;
    double squares = 0;
    for (int token = 0; token < logits.length; token++) {
      best = logits[token] > logits[best] ? token : best;
      squares += (double) logits[token] * logits[token];
    }
    final double least = MIN_LEAD * Math.sqrt(squares / logits.length);
    for (int token = 0; token < logits.length; token++) {
      assertThat(token == best || logits[best] - logits[token] > least)
          .as(
              "request=%s leads by %s %%",
              request.id(), (logits[best] - logits[token]) / least * 10)
          .isTrue();
    }
    return best;
  }

  private static Request request(String id, int... prompt) {
    return Request.builder(id, prompt).maxTokens(4).sampling(SamplingParams.GREEDY).build();
  }
}
