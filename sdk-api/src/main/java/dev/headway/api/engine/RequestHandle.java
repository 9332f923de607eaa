package dev.headway.api.engine;

import dev.headway.api.request.SessionInput;
import java.util.concurrent.CompletionStage;

/** One submitted request. All methods may be called from any thread. */
public interface RequestHandle {

  /** The caller's name for the request. */
  String id();

  /**
   * Asks the engine to end the request; returns at once. It ends with {@code ABORTED} before the
   * next step is planned, unless it has ended by then. Calling it again changes nothing.
   */
  void cancel();

  /**
   * Asks the engine to end the request as complete; returns at once. It ends with {@code STOP}
   * where {@link #cancel} would end it with {@code ABORTED}: for an end that only the caller can
   * detect, such as a stop string in the text. Tokens computed meanwhile are its outputs as well.
   * Of several calls of this and {@code cancel} the first counts.
   */
  void stop();

  /**
   * Gives a session further input, behind those it got before; returns at once. Its next turn
   * begins when the one it is in has ended. An input that does not fit into the context ends the
   * session with {@code LENGTH}.
   *
   * @return whether it was taken; not if the session has ended, or its input has. A session may end
   *     before an input that was taken has begun its turn
   * @throws UnsupportedOperationException if the request is no session
   * @throws IllegalArgumentException if a token is not of the vocabulary, or an item is more than
   *     the encoder can ever compute
   * @throws IllegalStateException if 256 inputs wait for their turn
   */
  default boolean append(SessionInput input) {
    throw new UnsupportedOperationException("only a session gets further input: id=" + id());
  }

  /**
   * Announces that a session gets no more input; returns at once. It ends with the turn that its
   * last input begins, or, if it waits for input, as its latest turn has.
   *
   * @return whether that was news: not if the session has ended, or its input has
   * @throws UnsupportedOperationException if the request is no session
   */
  default boolean endInput() {
    throw new UnsupportedOperationException("only a session gets further input: id=" + id());
  }

  /** Whether the request has ended. */
  boolean isDone();

  /**
   * Completes when the request has ended, never exceptionally: every outcome is a value. It does so
   * on the engine thread; a rejection on the submitting one, and what is left at the end on the one
   * that closes the engine.
   */
  CompletionStage<RequestOutcome> outcome();

  /**
   * Waits for the end. Not for the engine thread, nor in virtual time with the engine on the same
   * thread.
   *
   * @throws InterruptedException if the waiting thread is interrupted
   */
  RequestOutcome await() throws InterruptedException;
}
