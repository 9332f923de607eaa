package dev.headway.examples.streaming;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenStream;
import dev.headway.api.request.Request;
import java.util.function.IntConsumer;

/** Answers on the thread of the caller, for example that of an HTTP request. */
public final class StreamedAnswer {
  private StreamedAnswer() {}

  /** Writes the tokens of a request as they come, and returns what became of it. */
  public static RequestOutcome write(Engine engine, Request request, IntConsumer client)
      throws InterruptedException {
    // @start region="stream"
    try (TokenStream stream = TokenStream.submit(engine, request, 1_024)) { // tokens buffered
      for (TokenStream.Token token : stream) {
        client.accept(token.tokenId()); // may be as slow as the client is
      }
      return stream.handles().getFirst().await();
    } // a client that fails or is too slow cancels its request, and no other
    // @end
  }
}
