/** Submits a request at once; it is admitted when its adapter is loaded. */
public static RequestHandle submit(
    Engine engine, int[] prompt, LoraAdapter adapter, CompletableFuture<?> loading) {
  final Hold hold = Hold.until(HoldReason.ADAPTER_LOADING, loading).withTimeout(LONGEST);
  return engine.submit(
      Request.builder("adapted", prompt).maxTokens(100).lora(adapter).hold(hold).build());
}

