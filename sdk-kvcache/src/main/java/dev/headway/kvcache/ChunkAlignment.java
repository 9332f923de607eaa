package dev.headway.kvcache;

/**
 * Where a chunk must end so that a recurrent state can be kept: at a block boundary, at the end of
 * the prompt, or where a known prefix branches off. Immutable.
 */
final class ChunkAlignment {

  private final CacheGeometry geometry;
  private final int blockSize;

  ChunkAlignment(CacheGeometry geometry, int blockSize) {
    this.geometry = geometry;
    this.blockSize = blockSize;
  }

  /** Returns the tokens of the chunk, in [0, newTokens]; 0 if no aligned chunk fits. */
  int align(GroupedSequence seq, int start, int newTokens, int largestChunk) {
    final int known = seq.request.knownTokens();
    final int prompt = seq.request.promptTokens();
    final int prefillEnd = Math.max(prompt, known - 1);
    if (start >= prefillEnd) {
      return newTokens;
    }
    int end = start + newTokens;
    if (end < prefillEnd) {
      final int aligned = end / blockSize * blockSize;
      if (aligned > start || blockSize <= largestChunk) {
        end = aligned;
      }
    }
    final int lastBoundary =
        Math.max(0, known / blockSize * blockSize - (geometry.dropsLastHit() ? blockSize : 0));
    int earliest = end;
    if (start % blockSize != 0) {
      earliest = inside(start, earliest, (start / blockSize + 1) * blockSize);
    }
    earliest = inside(start, earliest, lastBoundary);
    final int promptEnd = prompt / geometry.unit() * geometry.unit();
    if (geometry.partialHits() && promptEnd > lastBoundary && promptEnd < prompt) {
      earliest = inside(start, earliest, promptEnd);
    }
    final int branch = seq.sharedPrefixBoundary;
    if (start < branch && branch < end) {
      earliest = inside(start, earliest, start + (branch - start) / blockSize * blockSize);
    }
    return Math.max(0, earliest - start);
  }

  private static int inside(int start, int end, int point) {
    return start < point && point < end ? point : end;
  }
}
