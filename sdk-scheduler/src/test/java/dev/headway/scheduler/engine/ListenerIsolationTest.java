package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.assertHealthy;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.engine;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.prompt;
import static dev.headway.scheduler.engine.Engines.request;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A listener that throws harms its own request and nothing else. */
class ListenerIsolationTest {

  private final ScriptedExecutor executor = executor();
  private final Engine engine = engine(executor);

  static Stream<Throwable> throwables() {
    return Stream.of(
        new IllegalStateException("listener"),
        new Error("listener"),
        new StackOverflowError("listener"),
        new OutOfMemoryError("listener"),
        new InternalError("listener"),
        new CheckedException());
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldEndTheRequestOfAListenerThatThrowsAtAToken(Throwable thrown) {
    final Heard heard =
        new Heard() {
          @Override
          public void onToken(int index, int tokenId) {
            super.onToken(index, tokenId);
            if (index == 1) {
              throwAny(thrown);
            }
          }
        };
    final RequestHandle broken = engine.submit(request("broken", 9), heard);
    final Heard other = new Heard();
    final RequestHandle healthy = engine.submit(request("other", 4), other);

    stepUntilIdle(engine);

    assertThat(heard.events).containsExactly("0:100", "1:101", "LISTENER_FAILED/2");
    assertThat(finished(broken).cause()).isSameAs(thrown);
    assertThat(endOf(healthy)).isEqualTo("LENGTH/4");
    assertThat(other.events).hasSize(5);
    assertThat(engine.stats().listenersFailed()).isEqualTo(1);
    assertThat(engine.stats().stepsFailed()).isZero();
    assertHealthy(engine);
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldCompleteTheHandleOfAListenerThatThrowsAtTheEnd(Throwable thrown) {
    final TokenListener listener =
        new TokenListener() {
          @Override
          public void onDone(RequestOutcome outcome) {
            throwAny(thrown);
          }
        };
    final RequestHandle broken = engine.submit(request("broken", 2), listener);
    final RequestHandle healthy = engine.submit(request("other", 4));

    stepUntilIdle(engine);

    assertThat(endOf(broken)).isEqualTo("LENGTH/2");
    assertThat(endOf(healthy)).isEqualTo("LENGTH/4");
    assertThat(engine.stats().listenersFailed()).isEqualTo(1);
    assertHealthy(engine);
  }

  @ParameterizedTest
  @MethodSource("throwables")
  void shouldCompleteARejectionWhoseListenerThrows(Throwable thrown) {
    final TokenListener listener =
        new TokenListener() {
          @Override
          public void onDone(RequestOutcome outcome) {
            throwAny(thrown);
          }
        };

    final RequestHandle rejected = engine.submit(prompt("long", 500, 1), listener);

    assertThat(endOf(rejected)).isEqualTo("CONTEXT_LENGTH_LIMIT");
    assertThat(engine.stats().listenersFailed()).isEqualTo(1);
    assertHealthy(engine);
  }

  @Test
  void shouldCountAListenerThatThrowsEverywhereOnce() {
    final TokenListener listener =
        new TokenListener() {
          @Override
          public void onToken(int index, int tokenId) {
            throw new IllegalStateException("token");
          }

          @Override
          public void onDone(RequestOutcome outcome) {
            throw new IllegalStateException("done");
          }
        };

    final RequestHandle broken = engine.submit(request("broken", 9), listener);
    stepUntilIdle(engine);

    assertThat(endOf(broken)).isEqualTo("LISTENER_FAILED/1");
    assertThat(finished(broken).cause()).hasMessage("token");
    assertThat(engine.stats().listenersFailed()).isEqualTo(1);
  }

  @Test
  void shouldKeepTheEndOfARequestWhoseListenerThrowsAtItsLastToken() {
    final Heard heard =
        new Heard() {
          @Override
          public void onToken(int index, int tokenId) {
            throw new IllegalStateException("token");
          }
        };

    final RequestHandle handle = engine.submit(request("a", 1), heard);
    stepUntilIdle(engine);

    assertThat(heard.events).containsExactly("LENGTH/1");
    assertThat(endOf(handle)).isEqualTo("LENGTH/1");
    assertThat(engine.stats().finished()).isEqualTo(1);
  }

  @Test
  void shouldSurviveAListenerThatRecursesWithoutEnd() {
    final TokenListener listener =
        new TokenListener() {
          @Override
          public void onToken(int index, int tokenId) {
            onToken(index + 1, tokenId);
          }
        };

    final RequestHandle broken = engine.submit(request("broken", 9), listener);
    stepUntilIdle(engine);

    assertThat(endOf(broken)).isEqualTo("LISTENER_FAILED/1");
    assertThat(finished(broken).cause()).isInstanceOf(StackOverflowError.class);
    assertHealthy(engine);
  }

  @Test
  void shouldKeepOneRequestsEndFromReachingAnotherInTheSameStep() {
    final List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      final boolean broken = i % 2 == 0;
      handles.add(
          engine.submit(
              request("r" + i, 3),
              new TokenListener() {
                @Override
                public void onToken(int index, int tokenId) {
                  if (broken) {
                    throw new IllegalStateException("token");
                  }
                }
              }));
    }

    stepUntilIdle(engine);

    for (int i = 0; i < 8; i++) {
      assertThat(endOf(handles.get(i))).isEqualTo(i % 2 == 0 ? "LISTENER_FAILED/1" : "LENGTH/3");
    }
    assertThat(engine.stats().listenersFailed()).isEqualTo(4);
  }

  @Test
  void shouldLogAnIdOnOneLine() {
    final PrintStream standardError = System.err;
    final ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      engine.submit(
          request("r1\r\nERROR forged\u001b[2K", 2),
          new TokenListener() {
            @Override
            public void onToken(int index, int tokenId) {
              throwAny(new IllegalStateException("listener"));
            }
          });
      stepUntilIdle(engine);
    } finally {
      System.setErr(standardError);
    }

    assertThat(log.toString(StandardCharsets.UTF_8))
        .contains("the listener of request r1\\u000d\\u000aERROR forged\\u001b[2K threw")
        .doesNotContain("\nERROR forged");
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void throwAny(Throwable thrown) throws T {
    throw (T) thrown;
  }

  /** What a listener in another language may throw. */
  private static final class CheckedException extends Exception {}
}
