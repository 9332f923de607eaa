package dev.headway.api.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.engine.ManualEngine.Handle;
import dev.headway.api.engine.TokenStream.End;
import dev.headway.api.engine.TokenStream.Token;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.step.TokenLogprobs;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a stream makes of each call of the engine; with a real one it is tested beside the engine.
 */
class TokenStreamTest {

  private final ManualEngine engine = new ManualEngine();

  private static Request request(String id) {
    return Request.builder(id, 1).maxTokens(9).build();
  }

  private TokenStream stream(int maxUnreadTokens, String... ids) {
    return TokenStream.submit(
        engine, Stream.of(ids).map(TokenStreamTest::request).toList(), maxUnreadTokens, 0);
  }

  private Handle handle(int request) {
    return engine.handles.get(request);
  }

  private static Object next(TokenStream stream) throws InterruptedException {
    return stream.next(Duration.ZERO);
  }

  private static Token token(int request, int tokenId) {
    return new Token(request, tokenId, 0, null);
  }

  @Test
  void shouldGiveEachTokenWithItsInstantAndLogprobsAndThenTheEnd() throws InterruptedException {
    engine.setTime(5);
    final TokenStream stream = TokenStream.submit(engine, request("r"), 8);
    final TokenLogprobs logprobs = new TokenLogprobs(-1, 1, new int[0], new float[0]);

    assertThat(handle(0).arrivalNs()).as("arrives when it is submitted").isEqualTo(5);
    assertThat(next(stream)).as("nothing yet").isNull();
    engine.setTime(7);
    handle(0).token(70, logprobs);
    engine.setTime(8);
    handle(0).token(80);
    final RequestOutcome outcome = handle(0).end(FinishReason.LENGTH);

    assertThat(stream.unread()).isEqualTo(3);
    assertThat(next(stream)).isEqualTo(new Token(0, 70, 7, logprobs));
    assertThat(next(stream)).as("without the logprobs before").isEqualTo(new Token(0, 80, 8, null));
    assertThat(stream.isDone()).isFalse();
    assertThat(next(stream)).isEqualTo(new End(0, outcome));
    assertThat(stream.isDone()).isTrue();
    assertThat(stream.next(Duration.ofDays(1))).as("returns at once").isNull();
  }

  @Test
  void shouldLoseWhatFindsTheBufferFullAndCancelOnce() throws InterruptedException {
    final TokenStream stream = stream(2, "slow");
    handle(0).token(1);
    handle(0).token(2);
    assertThat(stream.isOverflowed()).as("just full").isFalse();

    handle(0).token(3);
    assertThat(next(stream)).isEqualTo(token(0, 1));
    handle(0).token(4); // there is room, but one before it was lost
    handle(0).end(FinishReason.ABORTED);

    assertThat(stream.isOverflowed()).isTrue();
    assertThat(handle(0).cancellations()).isEqualTo(1);
    final Iterator<Token> tokens = stream.iterator();
    assertThat(tokens.next()).isEqualTo(token(0, 2));
    assertThatThrownBy(tokens::hasNext)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "tokens must be read in time, or they are lost and the request is cancelled: id=slow,"
                + " maxUnreadTokens=2");
  }

  @Test
  void shouldHaveRoomAgainForEachTokenTaken() throws InterruptedException {
    final TokenStream stream = stream(1, "r");

    for (int i = 0; i < 5; i++) {
      handle(0).token(i);
      assertThat(next(stream)).isEqualTo(token(0, i));
    }

    assertThat(stream.isOverflowed()).isFalse();
  }

  @Test
  void shouldHaveRoomForTheTokensWhateverEndsWait() throws InterruptedException {
    final TokenStream stream = stream(2, "a", "b", "c");
    final RequestOutcome first = handle(0).end(FinishReason.ABORTED);
    final RequestOutcome second = handle(1).end(FinishReason.ABORTED);

    handle(2).token(1);
    handle(2).token(2);
    assertThat(stream.isOverflowed()).as("two tokens wait").isFalse();
    handle(2).token(3);

    assertThat(stream.isOverflowed()).as("and a third").isTrue();
    assertThat(Stream.of(next(stream), next(stream), next(stream), next(stream)))
        .containsExactly(new End(0, first), new End(1, second), token(2, 1), token(2, 2));
  }

  @Test
  void shouldCancelWhatOverflowedBeforeItsHandleWasThere() {
    engine.whenSubmitted(
        handle -> {
          handle.token(1);
          handle.token(2);
        });

    final TokenStream stream = stream(1, "r");

    assertThat(stream.isOverflowed()).isTrue();
    assertThat(handle(0).cancellations()).isEqualTo(1);
  }

  @Test
  void shouldCancelEveryRequestWhenItIsClosed() {
    final TokenStream stream = stream(4, "a", "b");
    handle(0).token(1);

    stream.close();
    handle(0).end(FinishReason.ABORTED);
    handle(1).end(FinishReason.ABORTED);

    assertThat(engine.handles).extracting(Handle::cancellations).containsExactly(1, 1);
    assertThat(stream).as("what was buffered").containsExactly(token(0, 1));
  }

  @Test
  void shouldSubmitNoneAfterOneThatIsRefused() {
    final TokenStream stream = stream(4, "a", "a", "c");

    assertThat(stream.refusal().orElseThrow().id()).isEqualTo("a");
    assertThat(stream.handles()).containsExactlyElementsOf(engine.handles).hasSize(2);
    assertThat(handle(0).cancellations()).isEqualTo(1);
  }

  @Test
  void shouldTakeNoOtherEndForARefusal() {
    final TokenStream stream = stream(4, "a", "b");
    assertThat(stream.refusal()).as("nothing has ended").isEmpty();

    handle(1).end(FinishReason.STOP);

    assertThat(stream.refusal()).isEmpty();
    assertThat(engine.handles).extracting(Handle::cancellations).containsExactly(0, 0);
  }

  @Test
  void shouldCancelThoseBeforeOneThatTheEngineThrowsAt() {
    engine.whenSubmitted(
        handle -> {
          if (handle.id().equals("b")) {
            throw new IllegalStateException("closed");
          }
        });

    assertThatThrownBy(() -> stream(4, "a", "b"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("closed");
    assertThat(handle(0).cancellations()).isEqualTo(1);
  }

  @Test
  void shouldIterateOverTheTokensOfAllRequestsOnce() {
    final TokenStream stream = stream(4, "a", "b");
    handle(1).token(1);
    handle(0).token(2);
    handle(0).end(FinishReason.LENGTH);
    handle(1).token(3);
    handle(1).end(FinishReason.LENGTH);

    final Iterator<Token> tokens = stream.iterator();
    assertThat(tokens.hasNext()).isTrue();
    assertThat(tokens.hasNext()).as("asked again").isTrue();
    assertThat(tokens.next()).isEqualTo(token(1, 1));
    assertThat(stream).containsExactly(token(0, 2), token(1, 3));
    assertThat(tokens.hasNext()).isFalse();
    assertThatThrownBy(tokens::next)
        .isInstanceOf(NoSuchElementException.class)
        .hasMessage("every request has ended: requests=2");
  }

  @Test
  void shouldCancelWhenTheIteratingThreadIsInterrupted() {
    final Iterator<Token> tokens = stream(4, "r").iterator();

    Thread.currentThread().interrupt();
    assertThatThrownBy(tokens::hasNext)
        .isInstanceOf(CancellationException.class)
        .hasMessage("interrupted while waiting for a token: id=r")
        .hasCauseInstanceOf(InterruptedException.class);

    assertThat(Thread.interrupted()).as("interrupt flag is kept").isTrue();
    assertThat(handle(0).cancellations()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"0,1", "1,0"})
  void shouldRefuseAStreamWithoutRequestsOrRoom(int requests, int maxUnreadTokens) {
    final List<Request> all = List.of(request("r")).subList(0, requests);

    assertThatThrownBy(() -> TokenStream.submit(engine, all, maxUnreadTokens, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a stream must have >= 1 requests and maxUnreadTokens >= 1: requests="
                + requests
                + ", maxUnreadTokens="
                + maxUnreadTokens);
    assertThat(engine.handles).isEmpty();
  }
}
