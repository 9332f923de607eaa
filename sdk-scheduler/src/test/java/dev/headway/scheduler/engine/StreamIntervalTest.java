package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.LIMITS;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.engine.TurnOutcome;
import dev.headway.api.request.Request;
import dev.headway.api.request.SessionInput;
import dev.headway.api.request.StopRule;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Listeners that are notified of several tokens at a time. */
class StreamIntervalTest {

  private final List<Integer> heard = new ArrayList<>();
  private final List<Integer> perStep = new ArrayList<>();
  private final TokenListener listener =
      new TokenListener() {
        @Override
        public void onToken(int index, int tokenId) {
          heard.add(index);
          assertThat(tokenId).isEqualTo(100 + index);
        }

        @Override
        public void onDone(RequestOutcome outcome) {
          heard.add(-1);
        }
      };

  private static Request.Builder request(int outputs) {
    return Request.builder("a", 1, 2, 3, 4, 5).maxTokens(outputs);
  }

  private void step(Engine engine) {
    final int before = heard.size();
    engine.step();
    perStep.add(heard.size() - before);
  }

  @Test
  void shouldDeliverTheFirstAtOnceThenSoManyTogetherAndTheRestAtTheEnd() {
    final Engine engine = builder(executor()).limits(LIMITS).build();
    final RequestHandle handle = engine.submit(request(9).streamInterval(3).build(), listener);
    for (int i = 0; i < 9; i++) {
      step(engine);
    }

    assertThat(perStep).containsExactly(1, 0, 0, 3, 0, 0, 3, 0, 3);
    assertThat(heard).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, -1);
    assertThat(endOf(handle)).isEqualTo("LENGTH/9");
  }

  @Test
  void shouldUseTheEnginesIntervalWhereARequestSaysNothing() {
    final Engine engine = builder(executor()).streamInterval(4).build();
    engine.submit(request(6).build(), listener);
    for (int i = 0; i < 6; i++) {
      step(engine);
    }

    assertThat(perStep).containsExactly(1, 0, 0, 0, 4, 2);
  }

  @Test
  void shouldDeliverWhatWasHeldBackOfARequestThatIsCancelled() {
    final Engine engine = builder(executor()).build();
    final RequestHandle handle = engine.submit(request(50).streamInterval(10).build(), listener);
    for (int i = 0; i < 4; i++) {
      engine.step();
    }
    handle.cancel();

    engine.step();

    assertThat(heard).containsExactly(0, 1, 2, 3, -1);
    assertThat(endOf(handle)).isEqualTo("ABORTED/4");
  }

  @Test
  void shouldEndOnlyARequestWhoseListenerThrowsAtATokenHeldBack() {
    final Engine engine = builder(executor()).build();
    final RequestHandle handle =
        engine.submit(
            request(20).streamInterval(3).build(),
            new TokenListener() {
              @Override
              public void onToken(int index, int tokenId) {
                heard.add(index);
                if (index == 2) {
                  throw new IllegalStateException("full");
                }
              }
            });

    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("LISTENER_FAILED/4");
    assertThat(heard).containsExactly(0, 1, 2);
  }

  @Test
  void shouldDeliverTheRestOfATurnBeforeItsEnd() {
    final Engine engine = builder(executor()).build();
    final List<String> told = new ArrayList<>();
    final RequestHandle session =
        engine.submit(
            request(3).resumable().streamInterval(10).build(),
            new TokenListener() {
              @Override
              public void onToken(int index, int tokenId) {
                told.add("token " + index);
              }

              @Override
              public void onTurnEnd(TurnOutcome turn) {
                told.add("turn " + turn.index());
              }
            });
    stepUntilIdle(engine);
    session.append(SessionInput.of(StopRule.maxTokens(3), 7, 8));
    stepUntilIdle(engine);

    assertThat(told)
        .containsExactly(
            "token 0", "token 1", "token 2", "turn 0", "token 0", "token 1", "token 2", "turn 1");
  }

  @Test
  void shouldRefuseAnIntervalBelowOne() {
    assertThatThrownBy(() -> builder(executor()).streamInterval(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("streamInterval must be >= 1: streamInterval=0");
    assertThatThrownBy(() -> request(1).streamInterval(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("streamInterval must be >= 1: id=a, streamInterval=0");
  }
}
