package dev.headway.examples.recipes;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.request.Request;
import dev.headway.api.request.StopRule;
import dev.headway.grammar.Constraint;
import dev.headway.grammar.GrammarBackend;
import dev.headway.grammar.Vocabulary;
import dev.headway.grammar.automaton.AutomatonBackend;
import java.util.function.IntFunction;

/** Requests whose answers are JSON of a schema. */
public final class ConstrainedRequests {

  private ConstrainedRequests() {}

  // @start region="constrained"
  /** One for each engine; {@code textOf} is empty for special tokens. */
  public static GrammarBackend backend(
      int vocabularySize, IntFunction<byte[]> textOf, int endTokenId) {
    return AutomatonBackend.builder(Vocabulary.of(vocabularySize, textOf, endTokenId)).build();
  }

  /** Submits a request at once; it is admitted when its schema is compiled. */
  public static RequestHandle submit(
      Engine engine, GrammarBackend grammars, int[] prompt, String schema, int endTokenId) {
    return engine.submit(
        Request.builder("structured", prompt)
            .stopRule(StopRule.maxTokens(200).withEosTokenId(endTokenId))
            .grammar(grammars.compile(new Constraint.JsonSchema(schema)), null)
            .build());
  }
  // @end
}
