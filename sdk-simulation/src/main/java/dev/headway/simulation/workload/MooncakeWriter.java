package dev.headway.simulation.workload;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.Arrays;

/**
 * Mooncake JSONL.
 *
 * <p>Block ids of other lengths than 512 tokens become ids of 512-token blocks: the id of the block
 * in which the last token of the 512 lies says what all tokens before it are, since ids are
 * cumulative. What is left at the end of a prefix, and does not reach the end of the prompt, is
 * lost.
 */
final class MooncakeWriter implements RequestWriter {
  private static final int BLOCK_TOKENS = 512;

  private final Appendable out;
  private final Losses losses = new Losses();

  MooncakeWriter(Appendable out) {
    this.out = out;
  }

  @Override
  public void write(WorkloadRequest request) throws IOException {
    losses.addExtras(request);
    final int[] ids = blocks(request);
    out.append("{\"timestamp\": ").append(millis(request.arrivalNs()));
    out.append(", \"input_length\": ").append(Integer.toString(request.inputTokens()));
    out.append(", \"output_length\": ").append(Integer.toString(request.outputTokens()));
    out.append(", \"hash_ids\": ").append(Arrays.toString(ids)).append("}\n");
    final long held = Math.min(request.inputTokens(), (long) ids.length * BLOCK_TOKENS);
    losses.add("prefix tokens that fill no block of 512", request.prefixTokens() - held);
    losses.add("tenants", request.tenant() == null ? 0 : 1);
    losses.add("priorities", request.priority() == 0 ? 0 : 1);
  }

  private static String millis(long ns) {
    final BigDecimal ms = BigDecimal.valueOf(ns, 6).stripTrailingZeros();
    return ms.toPlainString();
  }

  private static int[] blocks(WorkloadRequest request) {
    final int described = request.prefixTokens();
    final int full = described / BLOCK_TOKENS;
    final boolean reachesEnd = described == request.inputTokens() && described % BLOCK_TOKENS != 0;
    final int[] given = request.prefixBlockIds();
    final int[] ids = new int[full + (reachesEnd ? 1 : 0)];
    for (int block = 0; block < ids.length; block++) {
      final int end = Math.min((block + 1) * BLOCK_TOKENS, request.inputTokens());
      ids[block] = idOf(request, given, block, end);
    }
    return ids;
  }

  /** A given block in which several of the 512 end has an id for each of them. */
  private static int idOf(WorkloadRequest request, int[] given, int block, int end) {
    final int length = request.prefixBlockTokens();
    final int index = Math.ceilDiv(end, length) - 1;
    if (BLOCK_TOKENS % length == 0) {
      return given[index];
    }
    final int ends = Math.ceilDiv(length, BLOCK_TOKENS) + (length % BLOCK_TOKENS == 0 ? 0 : 1);
    final int first = (int) ((long) index * length / BLOCK_TOKENS);
    final long id = (long) given[index] * ends + (block - first);
    if (id > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "ids of 512-token blocks must stay below 2^31: request=%s, prefixBlock=%d, blockTokens=%d"
              .formatted(request.requestId(), given[index], length));
    }
    return (int) id;
  }

  @Override
  public Losses losses() {
    return losses;
  }
}
