package dev.headway.scheduler.sim;

import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import java.util.concurrent.TimeUnit;

/**
 * A step's duration as a linear function of its {@link StepFeatures}, in nanoseconds:
 *
 * <pre>{@code
 * fixedNs + prefillTokenNs * (prefillTokens + draftTokens)
 *         + decodeSequenceNs * decodeRequests
 *         + kvTokenReadNs * kvTokens
 *         + blockTransferNs * (savedBlocks + loadedBlocks)
 * }</pre>
 *
 * <p>Without entries only the transfers take time. Left out: attention's growth with the square of
 * a long prompt, communication between devices, host time. Immutable; allocates nothing.
 *
 * @param fixedNs once per step that computes anything: reading the weights, launching kernels
 * @param prefillTokenNs per token of a prefill chunk, and per draft token to verify
 * @param decodeSequenceNs per decoding request
 * @param kvTokenReadNs per token of KV that the entries attend to, those of the step included
 * @param blockTransferNs per KV block moved between device and host, either way; transfers are not
 *     hidden behind computation
 */
public record LinearLatencyModel(
    long fixedNs,
    long prefillTokenNs,
    long decodeSequenceNs,
    long kvTokenReadNs,
    long blockTransferNs)
    implements LatencyModel {

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
  public static final LinearLatencyModel LLAMA_3_1_8B_ON_H100 =
      new LinearLatencyModel(6_200_000L, 26_300L, 12_000L, 44L);

  /** Validates the components. */
  public LinearLatencyModel {
    requireNotNegative("fixedNs", fixedNs);
    requireNotNegative("prefillTokenNs", prefillTokenNs);
    requireNotNegative("decodeSequenceNs", decodeSequenceNs);
    requireNotNegative("kvTokenReadNs", kvTokenReadNs);
    requireNotNegative("blockTransferNs", blockTransferNs);
  }

  /** The time of a step on a device whose blocks never move. */
  public LinearLatencyModel(
      long fixedNs, long prefillTokenNs, long decodeSequenceNs, long kvTokenReadNs) {
    this(fixedNs, prefillTokenNs, decodeSequenceNs, kvTokenReadNs, 0);
  }

  /**
   * Returns this model with blocks of {@code bytesPerBlock} moving at {@link
   * #PCIE_5_X16_BYTES_PER_SECOND}: 42 µs for the 2 MiB of a block of Llama-3.1-8B.
   *
   * @param bytesPerBlock memory of a block over all layers, >= 0
   */
  public LinearLatencyModel withTransfersOverPcie5(long bytesPerBlock) {
    requireNotNegative("bytesPerBlock", bytesPerBlock);
    final long ns =
        Math.multiplyExact(bytesPerBlock, TimeUnit.SECONDS.toNanos(1))
            / PCIE_5_X16_BYTES_PER_SECOND;
    return new LinearLatencyModel(fixedNs, prefillTokenNs, decodeSequenceNs, kvTokenReadNs, ns);
  }

  private static void requireNotNegative(String name, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " must be >= 0: " + name + "=" + value);
    }
  }

  @Override
  public long stepNs(StepFeatures step) {
    final long transfersNs = blockTransferNs * (step.savedBlocks() + step.loadedBlocks());
    if (step.requests() == 0) {
      return transfersNs;
    }
    return fixedNs
        + prefillTokenNs * (step.prefillTokens() + step.draftTokens())
        + decodeSequenceNs * step.decodeRequests()
        + kvTokenReadNs * step.kvTokens()
        + transfersNs;
  }
}
