package dev.headway.probes.chronicle;

import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.request.RequestView;

/** So many blocks of 16 tokens with the hashes 1000, 1001, … */
record FakeBlocks(RequestView request, int count, int firstToken) implements KvBlocksStored {

  @Override
  public long stepId() {
    return 1;
  }

  @Override
  public long contentHash(int index) {
    return 1_000L + index;
  }

  @Override
  public boolean hasParent() {
    return firstToken > 0;
  }

  @Override
  public long parentContentHash() {
    return 999;
  }

  @Override
  public int group() {
    return 0;
  }

  @Override
  public int tokenCount() {
    return 16 * count;
  }

  @Override
  public int blockSize() {
    return 16;
  }
}
