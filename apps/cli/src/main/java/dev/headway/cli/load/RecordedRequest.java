package dev.headway.cli.load;

import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.QueuedRecord;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A request of a journal until it ends: which blocks its prompt begins with, as far as stored. */
final class RecordedRequest {
  final QueuedRecord queued;
  final int blockSize;
  private final int[] blocks;
  private int cachedTokens;
  private @Nullable FinishedRecord end;
  private long giveUpNs;
  private boolean isComplete;

  RecordedRequest(QueuedRecord queued, int blockSize) {
    this.queued = queued;
    this.blockSize = blockSize;
    this.blocks = new int[queued.promptTokens() / blockSize];
    Arrays.fill(blocks, BlockIds.NONE);
  }

  /** It has a block, whose position is behind the prompt or in it. */
  void has(int position, int id) {
    if (position < blocks.length) {
      blocks[position] = id;
    }
  }

  /** It was admitted with so many tokens found in the cache. */
  void found(int tokens) {
    cachedTokens = Math.max(cachedTokens, tokens);
  }

  /** It ended by itself. */
  void end(FinishedRecord finished) {
    end = finished;
    isComplete = true;
  }

  /** It ended from outside; when it is given up again is not known before {@link #giveUpAt}. */
  void endFromOutside(FinishedRecord finished) {
    end = finished;
  }

  /** Its client gives it up then. */
  void giveUpAt(long atNs) {
    giveUpNs = atNs;
    isComplete = true;
  }

  /** Whether all is known of it. */
  boolean isComplete() {
    return isComplete;
  }

  @Nullable FinishedRecord end() {
    return end;
  }

  /** When its client gives it up, if it ended from outside. */
  long giveUpNs() {
    return giveUpNs;
  }

  /** The leading blocks that are known. */
  int[] prefix(BlockIds ids) {
    followBack(ids);
    int known = 0;
    while (known < blocks.length && blocks[known] != BlockIds.NONE) {
      known++;
    }
    return Arrays.copyOf(blocks, known);
  }

  /** Blocks that were found in the cache are those before the ones that it stored. */
  private void followBack(BlockIds ids) {
    for (int i = blocks.length - 1; i > 0; i--) {
      if (blocks[i] != BlockIds.NONE && blocks[i - 1] == BlockIds.NONE) {
        blocks[i - 1] = ids.before(blocks[i]);
      }
    }
  }

  /** Whether it found more in the cache than is known of its prompt. */
  boolean foundMoreThan(int knownBlocks) {
    return Math.min(cachedTokens / blockSize, blocks.length) > knownBlocks;
  }
}
