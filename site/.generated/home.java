try (Engine engine =
    HeadwayEngine.builder(executor) // runs your model
        .policy("earliest-deadline") // or another of 23, or yours
        .probe("prometheus", Map.of("port", "9464"))
        .build()) {
  engine.start(Thread.ofPlatform().name("headway").factory());

  RequestHandle handle = engine.submit(Request.builder("r-17", tokenIds).maxTokens(256).build());
  if (handle.await() instanceof RequestOutcome.Finished finished) {
    System.out.println(finished.waits().byReason()); // {MAX_NUM_SEQS=PT1.3S, ...}
  }
}
