package dev.headway.http.server;

import dev.headway.http.HttpFailure;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;

/**
 * How the requests of one connection are received. Event loop of the connection only.
 *
 * <p>One request is received at a time. {@link ClientConnection#answered} follows each that was
 * whole.
 */
sealed interface RequestReceiver permits ThreadedRequests, WholeRequests {

  /** The rest of a request whose head has come. */
  interface Body {

    /** No earlier request is being answered any more. */
    default void onTurn() {}

    /** Takes a part, which stays the caller's. */
    void add(HttpContent part) throws HttpFailure;

    /** The request is whole. */
    void end();

    /** The rest of the request is none, or was refused. */
    void fail(HttpFailure failure);

    /** The request will never be whole. */
    default void drop() {}
  }

  /** The connection has its place. */
  default void opened() {}

  /** It has ended. */
  void gone();

  /** Whether requests are received while an earlier one is answered; else their bytes wait. */
  boolean receivesAhead();

  /**
   * Begins a request.
   *
   * @param head within the {@linkplain dev.headway.http.RequestRules rules}
   * @throws HttpFailure to refuse it
   */
  Body begin(HttpRequest head) throws HttpFailure;

  /** The answer to what is refused before it is a request. */
  FullHttpResponse refusal(HttpFailure failure);

  /** What had come was taken: a request is whole, or nothing more is there to be read. */
  default void received() {}

  /** There is room to write, or there is none any more. */
  void writabilityChanged();

  /** Whether the answer under way is to {@code HEAD}, and has no body. */
  boolean isToHead();
}
