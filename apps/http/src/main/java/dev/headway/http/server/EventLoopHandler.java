package dev.headway.http.server;

import dev.headway.http.HttpFailure;
import io.netty.handler.codec.http.FullHttpResponse;

/**
 * Answers the requests of one connection, one after the other. Event loop of the connection only;
 * must not block.
 */
public interface EventLoopHandler {

  /** The connection has its place. */
  void opened();

  /** Begins to answer a request, by the {@link AnswerWriter}, and releases it. */
  void handle(ReceivedRequest request);

  /** The answer to what is refused before it is a request. */
  FullHttpResponse refusal(HttpFailure failure);

  /** The client takes more again. */
  void writable();

  /** The connection has ended. */
  void gone();
}
