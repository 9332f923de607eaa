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
