package dev.headway.kvcache;

import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.request.RequestView;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The reused view of {@link dev.headway.api.kvcache.KvCacheListener#onKvStored}: a range of blocks
 * of one group, some of which have hashes.
 */
final class StoredRange implements KvBlocksStored {

  private final CacheGeometry geometry;
  private final KvCacheEvents events;

  /** Match units at whose ends the hashes are. */
  private final IntList units = new IntList();

  private @Nullable GroupedSequence seq;
  private int group;
  private int from;
  private int to;
  private int blockSize;

  StoredRange(CacheGeometry geometry, KvCacheEvents events) {
    this.events = events;
    this.geometry = geometry;
  }

  /** Starts the range of the blocks {@code [fromBlock, toBlock)}, without hashes. */
  StoredRange of(GroupedSequence seq, int group, int fromBlock, int toBlock) {
    this.seq = seq;
    this.group = group;
    blockSize = geometry.blockSize(group);
    from = fromBlock * blockSize;
    to = toBlock * blockSize;
    units.clear();
    return this;
  }

  /** Adds the hash of block {@code index} of the sequence. */
  void add(int index) {
    units.add((index + 1) * blockSize / geometry.unit() - 1);
  }

  /** Makes it the one match unit at the end of a part of a block. */
  StoredRange ofPart(GroupedSequence seq, int group, int unit) {
    this.seq = seq;
    this.group = group;
    blockSize = geometry.unit();
    from = unit * blockSize;
    to = from + blockSize;
    units.clear();
    units.add(unit);
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
  public int group() {
    return group;
  }

  @Override
  public int count() {
    return units.size();
  }

  @Override
  public long contentHash(int index) {
    return path().hash(units.get(index));
  }

  @Override
  public int firstToken(int index) {
    return (units.get(index) + 1) * geometry.unit() - blockSize;
  }

  @Override
  public boolean hasParent() {
    return from > 0;
  }

  @Override
  public long parentContentHash() {
    return path().hash(from / geometry.unit() - 1);
  }

  @Override
  public int firstToken() {
    return from;
  }

  @Override
  public int tokenCount() {
    return to - from;
  }

  @Override
  public int blockSize() {
    return blockSize;
  }

  private PrefixPath path() {
    return sequence().path;
  }

  private GroupedSequence sequence() {
    return Objects.requireNonNull(seq, "only valid during the call");
  }
}
