package dev.headway.api.kvcache;

/**
 * Full blocks of a request that became findable, in the order of its prefix. A reused view: valid
 * during the call that hands it over.
 */
public interface KvBlocksStored {

  /** Number of blocks, >= 1. */
  int count();

  /** Content hash of block {@code index}: equal for equal content and prefix, for one engine. */
  long contentHash(int index);

  /** Whether a block stands before these. */
  boolean hasParent();

  /** Content hash of the block before these; meaningful if {@link #hasParent()}. */
  long parentContentHash();

  /** Position in the request of the first token of these blocks; a multiple of the block size. */
  int firstToken();

  /** Tokens per block. */
  int blockSize();
}
