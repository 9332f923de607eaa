package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.assertHealthy;
import static dev.headway.scheduler.engine.Engines.await;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.engine;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.outcome;
import static dev.headway.scheduler.engine.Engines.request;
import static dev.headway.scheduler.engine.Engines.started;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.TokenStream;
import dev.headway.api.engine.TokenStream.End;
import dev.headway.api.engine.TokenStream.Token;
import dev.headway.api.request.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** Tokens pulled from a buffer with a bound, which the engine thread never waits for. */
class TokenStreamTest {

  private final ScriptedExecutor executor = executor();
  private final Engine engine = engine(executor);

  @Test
  void shouldIterateOverTheTokensOfARequest() {
    final TokenStream stream = TokenStream.submit(engine, request("r", 5), 5);
    stepUntilIdle(engine);

    assertThat(tokensOf(stream)).containsExactly(outputsOf(stream, 0));
    assertThat(stream.isDone()).isTrue();
    assertThat(stream.isOverflowed()).isFalse();
    assertThat(endOf(outcome(stream.handles().getFirst()))).isEqualTo("LENGTH/5");
    assertThat(stream.iterator().hasNext()).isFalse();
    assertThatThrownBy(stream.iterator()::next)
        .isInstanceOf(NoSuchElementException.class)
        .hasMessage("every request has ended: requests=1");
  }

  @Test
  void shouldWaitForTokensOfAnEngineWithAThread() {
    try (Engine running = started(executor);
        TokenStream stream = TokenStream.submit(running, request("r", 20), 64)) {
      final int[] tokens = tokensOf(stream);
      final Finished outcome = (Finished) await(stream.handles().getFirst());

      assertThat(tokens).containsExactly(outcome.outputTokenIds()).hasSize(20);
    }
  }

  @Test
  void shouldGiveEachTokenAndThenTheEnd() throws InterruptedException {
    final TokenStream stream = TokenStream.submit(engine, request("r", 1), 8);

    assertThat(stream.next(Duration.ZERO)).as("nothing yet").isNull();
    assertThat(stream.isDone()).isFalse();
    stepUntilIdle(engine);

    final Token token = (Token) stream.next(Duration.ZERO);
    assertThat(token.tokenId()).isEqualTo(outputsOf(stream, 0)[0]);
    assertThat(token.atNs()).isLessThanOrEqualTo(engine.clock().nanoTime());
    assertThat(token.logprobs()).isNull();
    assertThat(stream.isDone()).isFalse();
    assertThat(stream.next(Duration.ZERO))
        .isEqualTo(new End(0, outcome(stream.handles().getFirst())));
    assertThat(stream.isDone()).isTrue();
    assertThat(stream.next(Duration.ofDays(1))).as("returns at once").isNull();
  }

  @Test
  void shouldCancelARequestWhoseTokensAreNotRead() {
    final TokenStream stream = TokenStream.submit(engine, request("slow", 50), 3);
    final RequestHandle other = engine.submit(request("other", 50));
    stepUntilIdle(engine);

    assertThat(stream.isOverflowed()).isTrue();
    assertThat(endOf(outcome(stream.handles().getFirst()))).startsWith("ABORTED/");
    assertThat(endOf(outcome(other))).isEqualTo("LENGTH/50");
    final Iterator<Token> tokens = stream.iterator();
    for (int i = 0; i < 3; i++) {
      assertThat(tokens.next().tokenId()).isEqualTo(outputsOf(stream, 0)[i]);
    }
    assertThatThrownBy(tokens::hasNext)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "tokens must be read in time, or they are lost and the request is cancelled: id=slow,"
                + " maxUnreadTokens=3");
    assertHealthy(engine);
  }

  @Test
  void shouldCancelWhatHasNotEndedWhenItIsClosed() {
    final TokenStream stream = TokenStream.submit(engine, request("r", 50), 64);
    engine.step();
    engine.step();

    stream.close();
    stepUntilIdle(engine);

    assertThat(endOf(outcome(stream.handles().getFirst()))).startsWith("ABORTED/");
    assertThat(tokensOf(stream)).containsExactly(outputsOf(stream, 0)).isNotEmpty();
    assertThat(stream.isOverflowed()).isFalse();
  }

  @Test
  void shouldEndWithTheFailureOfTheExecutor() {
    executor.alwaysAwait(
        (plan, output, timeoutNs) -> {
          throw new IllegalStateException("device lost");
        });
    final TokenStream stream = TokenStream.submit(engine, request("r", 5), 8);
    stepUntilIdle(engine);

    assertThat(tokensOf(stream)).isEmpty();
    assertThat(endOf(outcome(stream.handles().getFirst()))).isEqualTo("EXECUTOR_FAILED/0");
    assertThat(finished(stream.handles().getFirst()).cause()).isNotNull();
  }

  @Test
  void shouldCancelWhenTheIteratingThreadIsInterrupted() {
    final TokenStream stream = TokenStream.submit(engine, request("r", 50), 64);
    final Iterator<Token> tokens = stream.iterator();

    Thread.currentThread().interrupt();
    assertThatThrownBy(tokens::hasNext)
        .isInstanceOf(CancellationException.class)
        .hasMessage("interrupted while waiting for a token: id=r");
    assertThat(Thread.interrupted()).as("interrupt flag is kept").isTrue();
    stepUntilIdle(engine);

    assertThat(endOf(outcome(stream.handles().getFirst()))).isEqualTo("ABORTED/0");
  }

  @Test
  void shouldCancelNothingWhenOnlyTheWaitIsInterrupted() {
    final TokenStream stream = TokenStream.submit(engine, request("r", 5), 64);

    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> stream.next(Duration.ofSeconds(20)))
        .isInstanceOf(InterruptedException.class);
    stepUntilIdle(engine);

    assertThat(endOf(outcome(stream.handles().getFirst()))).isEqualTo("LENGTH/5");
  }

  @Test
  void shouldStreamSeveralRequestsAsOneAnswer() {
    final List<Request> both = List.of(request("a", 3), request("b", 4));
    final TokenStream stream = TokenStream.submit(engine, both, 8, 0);
    stepUntilIdle(engine);

    final List<List<Integer>> tokens = List.of(new ArrayList<>(), new ArrayList<>());
    for (Token token : stream) {
      tokens.get(token.request()).add(token.tokenId());
    }

    assertThat(toInts(tokens.get(0))).containsExactly(outputsOf(stream, 0)).hasSize(3);
    assertThat(toInts(tokens.get(1))).containsExactly(outputsOf(stream, 1)).hasSize(4);
  }

  @Test
  void shouldSubmitNoneIfOneIsRefused() {
    final List<Request> three = List.of(request("a", 3), request("a", 4), request("c", 3));
    final TokenStream stream = TokenStream.submit(engine, three, 16, 0);

    assertThat(stream.refusal())
        .hasValueSatisfying(refused -> assertThat(refused.id()).isEqualTo("a"));
    assertThat(stream.handles()).hasSize(2);
    stepUntilIdle(engine);

    assertThat(tokensOf(stream)).isEmpty();
    assertThat(endOf(outcome(stream.handles().getFirst()))).isEqualTo("ABORTED/0");
    assertThat(endOf(outcome(stream.handles().getLast()))).isEqualTo("DUPLICATE_ID");
    assertThat(engine.stats().submitted()).isEqualTo(2);
  }

  @Test
  void shouldRefuseAStreamWithoutRequestsOrRoom() {
    assertThatThrownBy(() -> TokenStream.submit(engine, request("r", 1), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a stream must have >= 1 requests and maxUnreadTokens >= 1: requests=1,"
                + " maxUnreadTokens=0");
    assertThatThrownBy(() -> TokenStream.submit(engine, List.of(), 1, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TokenStream.submit(engine, List.of(request("r", 1)), 1, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("arrivalNs must be in [0, now]");
    assertThat(engine.stats().submitted()).isZero();
  }

  private static int[] tokensOf(TokenStream stream) {
    final List<Integer> tokens = new ArrayList<>();
    for (Token token : stream) {
      tokens.add(token.tokenId());
    }
    return toInts(tokens);
  }

  private static int[] toInts(List<Integer> tokens) {
    return tokens.stream().mapToInt(Integer::intValue).toArray();
  }

  private static int[] outputsOf(TokenStream stream, int request) {
    return finished(stream.handles().get(request)).outputTokenIds();
  }
}
