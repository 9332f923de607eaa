package dev.headway.executor.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.request.Grammar;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.TokenBias;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.TextGrammar;
import java.util.BitSet;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A tiny model of random weights samples what the grammars of its requests allow. */
class ConstrainedSamplingTest {

  private static final int VOCABULARY = 97;

  private final Model model = Model.random(TestModels.tiny(ModelFamily.QWEN3), 11);

  private Engine engine() {
    return HeadwayEngine.builder(
            ReferenceExecutor.builder(model, new VirtualClock()).numBlocks(40).build())
        .limits(
            SchedulerLimits.builder().maxNumSeqs(4).maxNumBatchedTokens(16).maxModelLen(64).build())
        .clock(new VirtualClock())
        .build();
  }

  private static int[] run(Engine engine, RequestHandle handle) {
    while (engine.step()) {
      continue;
    }
    final Finished end = (Finished) handle.outcome().toCompletableFuture().join();
    assertThat(end.cause()).isNull();
    return end.outputTokenIds();
  }

  @ParameterizedTest
  @ValueSource(floats = {0, 1, 20})
  void shouldSampleTheOneTextThatIsAllowedAndLeaveOthersAsTheyAre(float temperature) {
    final SamplingParams sampling = SamplingParams.builder().temperature(temperature).build();
    final Request free = Request.builder("free", 9, 8, 7).maxTokens(6).sampling(sampling).build();
    final Engine other = engine();
    final int[] alone = run(other, other.submit(free));
    final Engine engine = engine();
    final TextGrammar grammar = new TextGrammar(VOCABULARY, 96, 31, 32, 64, 0);
    final RequestHandle constrained =
        engine.submit(
            Request.builder("constrained", 1, 2, 3)
                .maxTokens(5)
                .sampling(sampling)
                .grammar(grammar.compiled(), null)
                .build());
    final RequestHandle beside = engine.submit(free);

    assertThat(run(engine, constrained)).containsExactly(96, 31, 32, 64, 0);
    assertThat(run(engine, beside)).containsExactly(alone);
  }

  @Test
  void shouldStayWithinRandomSetsOfTokens() {
    final Random random = new Random(5);
    final BitSet allowed = new BitSet();
    random.ints(12, 0, VOCABULARY).forEach(allowed::set);
    final Engine engine = engine();
    final RequestHandle handle =
        engine.submit(
            Request.builder("set", 1, 2, 3)
                .maxTokens(40)
                .sampling(SamplingParams.builder().temperature(5).seed(3).build())
                .grammar(CompletableFuture.completedFuture(anyOf(allowed)), null)
                .build());

    final int[] tokens = run(engine, handle);

    assertThat(tokens).as("seed=5").hasSize(40);
    assertThat(allowed.stream().toArray()).contains(tokens);
  }

  @ParameterizedTest
  @ValueSource(floats = {0, 1})
  void shouldEndARequestAloneThatHasNoTokenLeft(float temperature) {
    final BitSet allowed = new BitSet();
    allowed.set(40);
    final Request free = Request.builder("free", 9, 8, 7).maxTokens(6).build();
    final Engine engine = engine();
    final RequestHandle handle =
        engine.submit(
            Request.builder("banned", 1, 2, 3)
                .maxTokens(5)
                .sampling(
                    SamplingParams.builder()
                        .temperature(temperature)
                        .tokenBias(TokenBias.NONE.withBan(40, 40))
                        .build())
                .grammar(CompletableFuture.completedFuture(anyOf(allowed)), null)
                .build());
    final RequestHandle beside = engine.submit(free);

    assertThat(run(engine, beside)).hasSize(6);
    final Finished end = (Finished) handle.outcome().toCompletableFuture().join();

    assertThat(end.outputTokenIds()).containsExactly(40);
    assertThat(end.cause())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "grammar, banned sequences and min_tokens together must leave a token to sample:"
                + " position=4; each leaves some, but none is left by all of them");
  }

  private static Grammar anyOf(BitSet allowed) {
    return new Grammar() {
      @Override
      public boolean accept(int tokenId) {
        return allowed.get(tokenId);
      }

      @Override
      public void rollback(int tokens) {}

      @Override
      public boolean isTerminated() {
        return false;
      }

      @Override
      public void fillMask(int[] mask, int offset) {
        for (int token = 0; token < VOCABULARY; token++) {
          final int bit = 1 << token;
          final int word = offset + (token >> 5);
          mask[word] = allowed.get(token) ? mask[word] | bit : mask[word] & ~bit;
        }
      }
    };
  }
}
