package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.executor.Executor;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.StepOutput;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.ModelLayout;
import dev.headway.executor.model.ModelWeights;
import dev.headway.executor.model.TensorSpec;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.model.TinyModel;
import dev.headway.executor.model.WeightType;
import dev.headway.executor.reference.ReferenceExecutor;
import dev.headway.executor.reference.StepExperts;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.FakePlan;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Blocks of 4 tokens; every request is its prompt, computed here as the plan says. */
class VectorExecutorTest {

  private static final int BLOCKS = 10;

  private final Model model = Model.random(TestModels.tiny(ModelFamily.QWEN3), 11);
  private final Executor executor = builder().numBlocks(BLOCKS).hostBlocks(2).build();

  @AfterEach
  void close() {
    executor.close();
  }

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
    final Request first = request("first", 5, 6, 7, 8, 9, 10);
    final Request second = request("second", 1, 2, 3, 4, 9, 10);
    run(executor, new FakePlan().entry(first, 0, 4, 3));
    run(executor, new FakePlan().saves(3, 0).entry(second, 0, 4, 3));

    final StepOutput swapped =
        run(executor, new FakePlan().saves(3, 1).loads(0, 3).entry(first, 4, 2, 3, 7));
    final StepOutput loaded = run(executor, new FakePlan().loads(1, 5).entry(second, 4, 2, 5, 7));

    assertThat(swapped.token(0, 0)).isEqualTo(alone(first));
    assertThat(loaded.token(0, 0)).isEqualTo(alone(second));
    assertThat(alone(first)).isNotEqualTo(alone(second)); // or the test could not fail
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
        .hasMessage("token ids must be in [0, vocab_size): tokenId=97, position=1, vocab_size=97");
    assertThat(output.token(1, 0)).isEqualTo(alone(good));
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
    try (Executor timed =
        VectorExecutor.builder(model, new SystemNanoClock()).numBlocks(BLOCKS).build()) {
      final StepOutput output = run(timed, new FakePlan().entry(request("r", 1, 2, 3, 4), 0, 4, 1));

      assertThat(output.prepareNs()).isPositive();
      assertThat(output.forwardNs()).isPositive();
      assertThat(output.sampleNs()).isPositive();
    }
  }

  @Test
  void shouldTellItsShape() {
    final long bytesPerBlock = 4 * 4 * 2 * 3 * 16; // tokens, float, K and V, layers, kvDim

    assertThat(executor.name()).isEqualTo("vector");
    assertThat(executor.shape().kvCache().bytesPerBlock()).hasValue(bytesPerBlock);
    assertThat(executor.shape().hostBlocks()).isEqualTo(2);
    try (Executor sized = builder().kvCacheBytes(20 * bytesPerBlock - 1).build()) {
      assertThat(sized.shape().kvCache().numBlocks()).isEqualTo(19);
    }
  }

  @Test
  void shouldRefuseOptionsThatHoldNothing() {
    assertThatThrownBy(() -> builder().build())
        .hasMessage("one of numBlocks and kvCacheBytes must be given: numBlocks=0, kvCacheBytes=0");
    assertThatThrownBy(() -> builder().numBlocks(2).threads(0).build())
        .hasMessage("threads must be >= 1: threads=0");
  }

  @Test
  void shouldRefuseWeightsThatAreNotNumbersAndLeaveNoThread() {
    final Model broken = broken(model, "model.layers.1.mlp.down_proj.weight", 2 * 40 + 3);
    final long before = helpers();

    assertThatThrownBy(
            () ->
                VectorExecutor.builder(broken, new VirtualClock()).numBlocks(2).threads(3).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "weights must be finite: tensor='model.layers.1.mlp.down_proj.weight', row=2, column=3,"
                + " weight=Infinity");
    assertThat(helpers()).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource(TinyModel.class)
  void shouldRefuseNormsAndBiasesThatAreNotNumbers(TinyModel tiny) {
    final Model whole = Model.random(tiny.config(), 11);
    final List<TensorSpec> vectors =
        ModelLayout.of(whole.config()).stream().filter(spec -> spec.shape().size() == 1).toList();
    assertThat(vectors).hasSizeGreaterThan(2 * whole.config().layers());
    for (TensorSpec vector : vectors) {
      final long last = vector.elements() - 1;
      final Model broken = broken(whole, vector.name(), last);

      assertThatThrownBy(
              () -> VectorExecutor.builder(broken, new VirtualClock()).numBlocks(2).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "weights must be finite: tensor='%s', index=%d, weight=Infinity",
              vector.name(), last);
    }
  }

  private static Model broken(Model whole, String tensor, long element) {
    return new Model(whole.config(), new BrokenWeights(whole.weights(), tensor, element));
  }

  private static long helpers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("headway-vector-"))
        .count();
  }

  /** Weights of which one is infinite. */
  private record BrokenWeights(ModelWeights whole, String broken, long element)
      implements ModelWeights {
    @Override
    public WeightType type(String tensor) {
      return whole.type(tensor);
    }

    @Override
    public void read(String tensor, long from, float[] target, int offset, int length) {
      whole.read(tensor, from, target, offset, length);
      final long place = element - from;
      if (tensor.equals(broken) && place >= 0 && place < length) {
        target[offset + (int) place] = Float.POSITIVE_INFINITY;
      }
    }

    @Override
    public void close() {}
  }

  @ParameterizedTest
  @EnumSource(names = {"MIXTRAL", "QWEN3_MOE", "GLM4_MOE", "QWEN3"})
  void shouldCountTheExpertsThatTheReferenceCounts(ModelFamily family) {
    final Model routed = Model.random(TestModels.tiny(family), 11);
    final int vocabulary = routed.config().vocabularySize();

    final List<Long> counts =
        StepExperts.ofRequests(
            VectorExecutor.builder(routed, new VirtualClock())
                .blockSize(4)
                .numBlocks(40)
                .threads(2)
                .build(),
            vocabulary,
            11);

    assertThat(counts)
        .hasSizeGreaterThan(4)
        .isEqualTo(
            StepExperts.ofRequests(
                ReferenceExecutor.builder(routed, new VirtualClock())
                    .blockSize(4)
                    .numBlocks(40)
                    .build(),
                vocabulary,
                11));
  }

  private VectorExecutorBuilder builder() {
    return VectorExecutor.builder(model, new VirtualClock()).blockSize(4).threads(2);
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
    try (Alone alone = new Alone(model, 1)) {
      final float[] logits = alone.logits(ids);
      int best = 0;
      for (int token = 1; token < logits.length; token++) {
        best = logits[token] > logits[best] ? token : best;
      }
      return best;
    }
  }

  private static Request request(String id, int... prompt) {
    return Request.builder(id, prompt).maxTokens(4).sampling(SamplingParams.GREEDY).build();
  }
}
