package dev.headway.kvcache;

import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.request.RequestView;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The reused view of {@link dev.headway.api.kvcache.KvCacheListener#onKvStored} for the only group:
 * blocks in a row, all with hashes.
 */
final class PagedRange implements KvBlocksStored {

  private final KvCacheEvents events;
  private final int blockSize;
  private @Nullable PagedSequence seq;
  private int from;
  private int count;

  PagedRange(KvCacheEvents events, int blockSize) {
    this.events = events;
    this.blockSize = blockSize;
  }

  /** Makes it the blocks {@code [from, to)} of the sequence. */
  PagedRange of(PagedSequence seq, int from, int to) {
    this.seq = seq;
    this.from = from;
    this.count = to - from;
    return this;
  }

  @Override
  public long stepId() {
    return events.stepId();
  }

  @Override
  public RequestView request() {
    return sequence().request;
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public long contentHash(int position) {
    return sequence().hash(from + position);
  }

  @Override
  public boolean hasParent() {
    return from > 0;
  }

  @Override
  public long parentContentHash() {
    return sequence().hash(from - 1);
  }

  @Override
  public int firstToken() {
    return from * blockSize;
  }

  @Override
  public int group() {
    return 0;
  }

  @Override
  public int tokenCount() {
    return count * blockSize;
  }

  @Override
  public int blockSize() {
    return blockSize;
  }

  private PagedSequence sequence() {
    return Objects.requireNonNull(seq, "only valid during the call");
  }
}
