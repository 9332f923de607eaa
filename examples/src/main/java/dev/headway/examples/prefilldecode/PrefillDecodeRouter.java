package dev.headway.examples.prefilldecode;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import java.net.InetSocketAddress;
import java.util.Map;

/** Sends a prompt to the engine that computes it, then to the one that goes on behind it. */
public final class PrefillDecodeRouter {

  private final Engine prefill;
  private final Engine decode;
  private final InetSocketAddress blocks;

  /**
   * Routes to two engines.
   *
   * @param blocks where the first one's connector hands out blocks
   */
  public PrefillDecodeRouter(Engine prefill, Engine decode, InetSocketAddress blocks) {
    this.prefill = prefill;
    this.decode = decode;
    this.blocks = blocks;
  }

  // @start region="route"
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

  // @end

  private static boolean isComplete(RequestOutcome outcome) {
    return outcome instanceof Finished finished
        && (finished.reason() == FinishReason.LENGTH || finished.reason() == FinishReason.STOP);
  }
}
