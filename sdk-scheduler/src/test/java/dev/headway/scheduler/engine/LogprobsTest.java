package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.assertHealthy;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.engine;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.prompt;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.StopRule;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.step.TokenLogprobs;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Log-probabilities reach the listener with their token, and nobody who did not ask. */
class LogprobsTest {

  private final ScriptedExecutor executor =
      executor().alwaysAwait((plan, output, timeoutNs) -> answerWithLogprobs(plan, output));

  @Test
  void shouldTellTheLogprobsOfATokenJustBeforeIt() {
    final Engine engine = engine(executor);
    final HeardLogprobs heard = new HeardLogprobs();

    engine.submit(asking("asks", 3), heard);
    stepUntilIdle(engine);

    assertThat(heard.events)
        .containsExactly(
            "0:100 p=-100.0 [7]",
            "0:100",
            "1:101 p=-101.0 [7]",
            "1:101",
            "2:102 p=-102.0 [7]",
            "2:102",
            "LENGTH/3");
  }

  @Test
  void shouldSpareThoseWhoDidNotAsk() {
    final Engine engine = engine(executor);
    final HeardLogprobs asking = new HeardLogprobs();
    final HeardLogprobs plain = new HeardLogprobs();

    engine.submit(prompt("plain", 9, 20), plain);
    engine.submit(asking("asks", 20), asking);
    stepUntilIdle(engine);

    assertThat(plain.events).hasSize(21).noneMatch(event -> event.contains("p="));
    assertThat(asking.events).hasSize(41);
  }

  @Test
  void shouldEndWithTheTokenThatStops() {
    final Engine engine = speculating();
    final HeardLogprobs heard = new HeardLogprobs();

    // answers 100; then 101, 102, 103 at once, of which the second stops
    engine.submit(
        Request.builder("stops", 1, 2, 3)
            .stopRule(StopRule.maxTokens(9).withStopTokenIds(102))
            .sampling(SamplingParams.builder().logprobs(1).build())
            .build(),
        heard);
    stepUntilIdle(engine);

    assertThat(heard.events)
        .containsExactly(
            "0:100 p=-100.0 [7]",
            "0:100",
            "1:101 p=-101.0 [7]",
            "1:101",
            "2:102 p=-102.0 [7]",
            "2:102",
            "STOP/3");
  }

  @Test
  void shouldTellNothingOfAnEntryThatFailed() {
    final Engine engine = engine(executor);
    final HeardLogprobs failed = new HeardLogprobs();
    final HeardLogprobs other = new HeardLogprobs();
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          answerWithLogprobs(plan, output);
          output.fail(0, new IllegalStateException("device"));
          return true;
        });

    engine.submit(asking("failed", 3), failed);
    engine.submit(asking("other", 1), other);
    stepUntilIdle(engine);

    assertThat(failed.events).containsExactly("EXECUTOR_FAILED/0");
    assertThat(other.events).containsExactly("0:100 p=-100.0 [7]", "0:100", "LENGTH/1");
  }

  @Test
  void shouldRefuseMostProbableTokensOutOfTheVocabulary() {
    final Engine engine = engine(executor);
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          output.addToken(
              0, 1, new TokenLogprobs(-1f, 1, new int[] {5, 1_000}, new float[] {-1f, -2f}));
          return true;
        });

    final RequestHandle handle = engine.submit(asking("nonsense", 3));
    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("EXECUTOR_FAILED/0");
    assertThat(finished(handle).cause())
        .hasMessage(
            "executor must answer topIds in [0, vocabularySize): id=nonsense, stepId=1,"
                + " tokenId=1000, vocabularySize=1000");
    assertHealthy(engine);
  }

  @Test
  void shouldEndTheRequestOfAListenerThatThrowsAtLogprobs() {
    final Engine engine = engine(executor);
    final HeardLogprobs other = new HeardLogprobs();

    final RequestHandle thrower =
        engine.submit(
            asking("throws", 9),
            new Heard() {
              @Override
              public void onLogprobs(int index, int tokenId, TokenLogprobs logprobs) {
                throw new IllegalStateException("listener");
              }
            });
    engine.submit(asking("other", 2), other);
    stepUntilIdle(engine);

    assertThat(endOf(thrower)).startsWith("LISTENER_FAILED/");
    assertThat(other.events).hasSize(5).endsWith("LENGTH/2");
  }

  /** Two drafts a step, all accepted. */
  private Engine speculating() {
    return Engines.builder(executor)
        .config(
            SchedulerConfig.builder(Engines.LIMITS)
                .speculation(SpeculationOptions.of(SpeculativeMethod.EAGLE, 2))
                .build())
        .build();
  }

  private static Request asking(String id, int outputs) {
    return Request.builder(id, 1, 2, id.hashCode() & 0xff)
        .maxTokens(outputs)
        .sampling(SamplingParams.builder().logprobs(1).build())
        .build();
  }

  /** Answers every token an entry can take, of which each is {@code 100 + n} for output n. */
  private static boolean answerWithLogprobs(StepPlan plan, StepOutput output) {
    for (int entry = 0; entry < plan.size(); entry++) {
      for (int i = 0; plan.samples(entry) && i <= plan.drafts().count(entry); i++) {
        final int tokenId = 100 + plan.request(entry).outputTokens() + i;
        if (plan.request(entry).request().sampling().logprobs().isPresent()) {
          output.addToken(
              entry, tokenId, new TokenLogprobs(-tokenId, 1, new int[] {7}, new float[] {-1f}));
        } else {
          output.addToken(entry, tokenId);
        }
      }
      for (int i = 0; i < plan.drafts().toPropose(); i++) {
        output.addDraft(entry, 200 + i);
      }
    }
    return true;
  }

  /** Writes down log-probabilities too. */
  private static final class HeardLogprobs extends Heard {
    @Override
    public void onLogprobs(int index, int tokenId, TokenLogprobs logprobs) {
      events.add(
          index + ":" + tokenId + " p=" + logprobs.logprob() + " " + list(logprobs.topIds()));
    }

    private static List<Integer> list(int[] ids) {
      return Arrays.stream(ids).boxed().toList();
    }
  }
}
