NanoClock clock = new SystemNanoClock();
KvCacheShape kvCache = KvCacheShape.builder().blockSize(16).blocks(4_096).build();
ExecutorShape shape =
    ExecutorShape.builder().kvCache(kvCache).maxNumSeqs(64).vocabularySize(128_256).build();
Executor executor =
    new SimulatedExecutor(shape, LinearLatencyModel.LLAMA_3_1_8B_ON_H100, clock, 42);

try (Engine engine = HeadwayEngine.builder(executor).clock(clock).build()) {
  engine.start(Thread.ofPlatform().name("headway").factory());

  Request request = Request.builder("hello", 9906, 1917, 0).maxTokens(16).build();
  TokenListener printer =
      new TokenListener() {
        @Override
        public void onToken(int index, int tokenId) {
          System.out.println("token " + index + ": " + tokenId);
        }
      };

  RequestHandle handle = engine.submit(request, printer); // from any thread; never blocks
  System.out.println(handle.await());
} // close() ends what is still alive: no handle is left undone
