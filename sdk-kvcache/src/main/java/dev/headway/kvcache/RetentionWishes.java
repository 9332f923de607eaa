package dev.headway.kvcache;

import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.RequestView;

/** What a request asks for the contents of its blocks. One thread; allocates only when made. */
final class RetentionWishes {

  private final BlockPool pool;
  private final RequestView request;
  private final KvCacheRetention retention;

  RetentionWishes(BlockPool pool, RequestView request, KvCacheRetention retention) {
    this.pool = pool;
    this.request = request;
    this.retention = retention;
  }

  /** Says what is wished for {@code block}, which holds the tokens from {@code firstToken} on. */
  void tell(int block, int firstToken) {
    final KvCacheRetention.Range range = retention.rangeOf(firstToken, request.promptTokens());
    if (range != null) {
      pool.wish(block, range);
    }
  }

  /** As {@link #tell}, of the blocks {@code [from, to)} of a sequence; block 0 is none. */
  void tellAll(int[] blocks, int from, int to, int blockSize) {
    for (int i = from; i < to; i++) {
      if (blocks[i] != 0) {
        tell(blocks[i], i * blockSize);
      }
    }
  }
}
