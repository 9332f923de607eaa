package dev.headway.api.kvcache;

import dev.headway.api.request.RequestView;
import java.util.List;

/**
 * A range of a request's tokens whose blocks became findable in one group, in the order of its
 * prefix.
 *
 * <p>A group that keeps only some blocks (a window, a recurrent state) stores fewer hashes than the
 * range has blocks, even none.
 */
public interface KvBlocksStored extends KvCacheEvent {

  /** The request whose tokens they hold. */
  RequestView request();

  /** The group of layers, from 0. */
  int group();

  /** Number of content hashes, >= 0. */
  int count();

  /** Content hash {@code index}: equal for equal content and prefix, for one engine. */
  long contentHash(int index);

  /**
   * Position in the request of the first token of the block that hash {@code index} names. Blocks
   * that are not kept have no hash, so this need not follow from the index.
   */
  default int firstToken(int index) {
    return firstToken() + index * blockSize();
  }

  /**
   * What the request's items add to the name of the block that hash {@code index} names; empty for
   * a request without items.
   */
  default List<ItemKey> itemKeys(int index) {
    return ItemKey.ofBlock(request().request().items(), firstToken(index), blockSize());
  }

  /** Whether the range begins behind the first token. */
  boolean hasParent();

  /** Content hash in front of the range, stored or not; meaningful if {@link #hasParent()}. */
  long parentContentHash();

  /** Position in the request of the first token of the range. */
  int firstToken();

  /** Tokens of the range. */
  int tokenCount();

  /** Tokens per hash: the group's block size, or the match unit for a part of a block. */
  int blockSize();
}
