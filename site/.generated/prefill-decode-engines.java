Executor prefillExecutor = executor(model, clock);
PrefillConnector sends =
    new PrefillConnector(blocksOf(prefillExecutor), BLOCK_SIZE, Duration.ofSeconds(30), clock);
Executor decodeExecutor = executor(model, clock);
DecodeConnector fetches = new DecodeConnector(blocksOf(decodeExecutor), BLOCK_SIZE);

try (Engine prefill =
        HeadwayEngine.builder(prefillExecutor).clock(clock).kvConnector(sends).build();
    Engine decode =
        HeadwayEngine.builder(decodeExecutor).clock(clock).kvConnector(fetches).build()) {
  prefill.start(Thread.ofPlatform().name("prefill").factory());
  decode.start(Thread.ofPlatform().name("decode").factory());

  PrefillDecodeRouter router = new PrefillDecodeRouter(prefill, decode, sends.address());
  return router.generate("hello", prompt, maxTokens, SamplingParams.GREEDY);
}
