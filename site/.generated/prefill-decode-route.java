/**
 * Generates; waits for the end. Any thread but the engines'.
 *
 * @return what became of the request at the engine that generates
 */
public RequestOutcome generate(String id, int[] prompt, int maxTokens, SamplingParams sampling)
    throws InterruptedException {
  Request first =
      Request.builder(id, prompt)
          .maxTokens(1)
          .sampling(sampling)
          .kvTransferParams(TransferParams.keep())
          .build();
  RequestOutcome computed = prefill.submit(first).await();

  Map<String, String> from =
      isComplete(computed) ? TransferParams.fetch(blocks, id) : Map.of(); // else it is computed
  Request second =
      Request.builder(id, prompt)
          .maxTokens(maxTokens)
          .sampling(sampling)
          .kvTransferParams(from)
          .build();
  return decode.submit(second).await();
}

