/** Submits a request at once; it is admitted when its grammar is compiled, on other threads. */
public static RequestHandle submit(
    Engine engine, int[] prompt, Supplier<Grammar> compiler, Executor threads) {
  final CompletableFuture<Grammar> compiling = CompletableFuture.supplyAsync(compiler, threads);
  return engine.submit(
      Request.builder("structured", prompt).maxTokens(100).grammar(compiling, LONGEST).build());
}
