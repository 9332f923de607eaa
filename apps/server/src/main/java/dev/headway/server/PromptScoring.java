package dev.headway.server;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.TokenStream;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.http.server.ServerExchange;
import java.io.IOException;
import java.util.List;

/**
 * Has the log-probabilities of prompts computed, before their answers are. On the thread of the
 * HTTP request, which waits.
 */
final class PromptScoring {

  private final Engine engine;
  private final UnderWay underWay;

  PromptScoring(Engine engine, UnderWay underWay) {
    this.engine = engine;
    this.underWay = underWay;
  }

  /** Whose prompts they are. */
  record Of(String id, int promptTokens, long arrivedNs) {}

  /**
   * Runs the requests and gives each token to the echo of its prompt; nothing without any.
   *
   * @param requests one for each prompt of more than a token, from {@link EngineRequests#scoring}
   * @param echoes one for each prompt
   * @throws ApiException if one of them cannot be computed to its end
   * @throws IOException if the client is gone
   */
  void run(ServerExchange exchange, List<Request> requests, List<PromptEcho> echoes, Of whole)
      throws IOException, InterruptedException {
    if (requests.isEmpty()) {
      return;
    }
    final List<PromptEcho> scored = echoes.stream().filter(echo -> echo.tokens() > 1).toList();
    try (TokenStream tokens =
        TokenStream.submit(
            engine, requests, GenerationHandler.mostTokens(requests), whole.arrivedNs)) {
      if (tokens.refusal().isPresent()) {
        throw ApiException.refused(tokens.refusal().get());
      }
      exchange.onGone(tokens::close);
      underWay.begin(whole.id, whole.promptTokens, tokens.handles());
      while (!tokens.isDone()) {
        switch (tokens.next(GenerationHandler.HEARTBEAT)) {
          case null -> GenerationHandler.requireClient(exchange);
          case TokenStream.Token token -> {
            if (token.logprobs() == null) {
              throw ApiException.withoutLogprobs("echo");
            }
            scored.get(token.request()).scored(token);
          }
          case TokenStream.End end -> requireWhole(end.outcome());
        }
      }
    } finally {
      underWay.end(whole.id);
    }
  }

  private static void requireWhole(RequestOutcome outcome) {
    if (!(outcome instanceof Finished finished)) {
      throw new IllegalStateException("a refused request has no tokens: outcome=" + outcome);
    }
    final ApiException failure = ApiException.ended(finished.reason(), finished.cause());
    if (failure != null) {
      throw failure;
    }
    if (finished.reason() != FinishReason.LENGTH) {
      throw ApiException.of(
          500,
          finished.reason().label(),
          "the log-probabilities of the prompt must be complete: the request was given up before");
    }
  }
}
