package dev.headway.kvcache;

import dev.headway.api.kvcache.KvGroup;

/** Attention within chunks: whole chunks before the current one count as found. */
final class ChunkedLocalManager extends BlockwiseManager {

  private final int chunkTokens;

  ChunkedLocalManager(CacheParts parts, KvGroup.ChunkedLocal layers, int[] groups) {
    super(parts, layers, groups);
    chunkTokens = layers.chunkTokens();
  }

  @Override
  int skippedTokens(int tokens) {
    return tokens / chunkTokens * chunkTokens;
  }

  @Override
  public int search(GroupedSequence seq, int limit, boolean dropLast) {
    final int start = skippedTokens(limit) / blockSize;
    int end = start;
    while (end < limit / blockSize && isHeld(seq.path, end)) {
      end++;
    }
    match(seq, start, end);
    return end * blockSize;
  }
}
