package dev.headway.scheduler.sim;

import dev.headway.api.step.StepPlan;
import java.util.concurrent.TimeUnit;

/**
 * How long a step takes, in nanoseconds:
 *
 * <pre>{@code
 * fixedNs + prefillTokenNs * prefill tokens
 *         + decodeSequenceNs * decoding requests
 *         + kvTokenReadNs * context tokens of all requests in the step
 *         + blockTransferNs * blocks saved to and loaded from host memory
 * }</pre>
 *
 * <p>A request decodes if all but its newest token is computed and it has outputs; every other
 * entry is prefill, recomputation included. Left out: attention's growth with the square of a long
 * prompt, communication between devices, host time.
 *
 * @param fixedNs once per step that computes anything: reading the weights, launching kernels
 * @param prefillTokenNs per token of a prefill chunk
 * @param decodeSequenceNs per decoding request
 * @param kvTokenReadNs per token of context read
 * @param blockTransferNs per KV block moved between device and host, either way; transfers are not
 *     hidden behind computation
 */
public record LatencyModel(
    long fixedNs,
    long prefillTokenNs,
    long decodeSequenceNs,
    long kvTokenReadNs,
    long blockTransferNs) {

  /**
   * Bytes per second between device and pinned host memory, one way: PCI Express 5.0 with 16 lanes
   * has 32 GT/s * 16 * 128/130 / 8 = 63 GB/s (PCI Express Base Specification 5.0), of which large
   * copies get some 50 GB/s.
   */
  public static final long PCIE_5_X16_BYTES_PER_SECOND = 50_000_000_000L;

  /**
   * Llama-3.1-8B, bf16, on one H100 SXM, from public kernel times.
   *
   * <ul>
   *   <li>Layer times by input tokens (LLMServingSim, MIT, {@code h100-v0/Llama-3.1-8B_tp1}): 32
   *       layers of projections and FFN at 1 token 5.53 ms, at 128 tokens 6.25 ms; whole model at 1
   *       token 7.8 ms, at 2,048 tokens 61.8 ms; LM head 0.37 ms.
   *   <li>Decode attention (AIConfigurator, Apache-2.0, vLLM 0.19 on H100 SXM, 32 heads, 8 KV
   *       heads): per layer 0.010 ms at batch 1, 0.035 ms at batch 128, 0.356 ms for 32 requests of
   *       8,192 tokens.
   * </ul>
   *
   * So fixed = 5.53 + 32 * 0.010 + 0.37 = 6.2 ms; per prefill token (61.8 - 7.8) ms / 2,047 = 26.3
   * µs; per decoding request ((6.25 - 5.53) + 32 * (0.035 - 0.010)) ms / 127 = 12 µs; per context
   * token 32 * 0.356 ms / 262,144 = 44 ns.
   */
  public static final LatencyModel LLAMA_3_1_8B_ON_H100 =
      new LatencyModel(6_200_000L, 26_300L, 12_000L, 44L);

  /** Validates the components. */
  public LatencyModel {
    requireNotNegative("fixedNs", fixedNs);
    requireNotNegative("prefillTokenNs", prefillTokenNs);
    requireNotNegative("decodeSequenceNs", decodeSequenceNs);
    requireNotNegative("kvTokenReadNs", kvTokenReadNs);
    requireNotNegative("blockTransferNs", blockTransferNs);
  }

  /** The time of a step on a device whose blocks never move. */
  public LatencyModel(
      long fixedNs, long prefillTokenNs, long decodeSequenceNs, long kvTokenReadNs) {
    this(fixedNs, prefillTokenNs, decodeSequenceNs, kvTokenReadNs, 0);
  }

  /**
   * Returns this model with blocks of {@code bytesPerBlock} moving at {@link
   * #PCIE_5_X16_BYTES_PER_SECOND}: 42 µs for the 2 MiB of a block of Llama-3.1-8B.
   *
   * @param bytesPerBlock memory of a block over all layers, >= 0
   */
  public LatencyModel withTransfersOverPcie5(long bytesPerBlock) {
    requireNotNegative("bytesPerBlock", bytesPerBlock);
    final long ns =
        Math.multiplyExact(bytesPerBlock, TimeUnit.SECONDS.toNanos(1))
            / PCIE_5_X16_BYTES_PER_SECOND;
    return new LatencyModel(fixedNs, prefillTokenNs, decodeSequenceNs, kvTokenReadNs, ns);
  }

  private static void requireNotNegative(String name, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " must be >= 0: " + name + "=" + value);
    }
  }

  /**
   * Returns the time of a step in nanoseconds; 0 for one that has nothing to do. Allocates nothing.
   */
  public long stepNs(StepPlan plan) {
    final long transfersNs = blockTransferNs * (plan.saveCount() + plan.loadCount());
    if (plan.size() == 0) {
      return transfersNs;
    }
    long prefillTokens = 0;
    long decodes = 0;
    long context = 0;
    for (int entry = 0; entry < plan.size(); entry++) {
      final int after = plan.computedTokens(entry) + plan.scheduledTokens(entry);
      context += after;
      if (isDecode(plan, entry, after)) {
        decodes++;
      } else {
        prefillTokens += plan.scheduledTokens(entry);
      }
    }
    return fixedNs
        + prefillTokenNs * prefillTokens
        + decodeSequenceNs * decodes
        + kvTokenReadNs * context
        + transfersNs;
  }

  private static boolean isDecode(StepPlan plan, int entry, int after) {
    return plan.scheduledTokens(entry) == 1
        && plan.samples(entry)
        && after > plan.request(entry).promptTokens();
  }
}
