package dev.headway.scheduler.engine;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import java.util.Arrays;
import java.util.List;

/**
 * Memory of blocks in which every slot says what it stands for: a token behind all before it, in
 * one group of layers. A group with recurrent states has one slot a block, for the state after its
 * last token.
 */
final class RememberedKv {

  private static final long RUBBISH = -1;

  /** The blocks of a request in each group, and what its tokens stand for by position. */
  record Tables(int[][] blocks, long[] truth) {}

  private final List<KvGroup> groups;
  private final int slotsPerBlock;
  private final long[] device;
  private final long[] host;

  RememberedKv(KvCacheShape shape, int hostBlocks) {
    groups = shape.groups();
    slotsPerBlock = groups.stream().mapToInt(KvGroup::blockSize).max().orElseThrow();
    device = new long[shape.numBlocks() * slotsPerBlock];
    host = new long[hostBlocks * slotsPerBlock];
  }

  /** Whether all is there that the layers look at to compute the token at {@code position}. */
  boolean canCompute(Tables tables, int position) {
    for (int group = 0; group < groups.size(); group++) {
      for (int before = firstSeenFrom(group, position); before < position; before++) {
        if (device[slot(tables, group, before)] != mark(tables, group, before)) {
          return false;
        }
      }
    }
    return true;
  }

  private int firstSeenFrom(int group, int position) {
    return switch (groups.get(group)) {
      case KvGroup.FullAttention full -> 0;
      case KvGroup.SlidingWindow window -> Math.max(0, position - window.windowTokens() + 1);
      case KvGroup.ChunkedLocal local -> position / local.chunkTokens() * local.chunkTokens();
      case KvGroup.Mamba states -> Math.max(0, position - 1);
    };
  }

  /** Writes the tokens {@code [from, to)}; returns whether there were blocks for all. */
  boolean write(Tables tables, int from, int to) {
    return write(tables, from, to, true);
  }

  /** Leaves rubbish instead. */
  void spoil(Tables tables, int from, int to) {
    write(tables, from, to, false);
  }

  private boolean write(Tables tables, int from, int to, boolean sound) {
    boolean room = true;
    for (int group = 0; group < groups.size(); group++) {
      final boolean states = groups.get(group) instanceof KvGroup.Mamba;
      for (int position = states ? to - 1 : from; position < to; position++) {
        device[slot(tables, group, position)] = sound ? mark(tables, group, position) : RUBBISH;
        room &= block(tables, group, position) != KvCacheShape.NULL_BLOCK;
      }
    }
    return room;
  }

  private int block(Tables tables, int group, int position) {
    return tables.blocks[group][position / groups.get(group).blockSize()];
  }

  private int slot(Tables tables, int group, int position) {
    final KvGroup layers = groups.get(group);
    final int inside = layers instanceof KvGroup.Mamba ? 0 : position % layers.blockSize();
    return block(tables, group, position) * slotsPerBlock + inside;
  }

  private static long mark(Tables tables, int group, int position) {
    return tables.truth[position] ^ (long) group << 48;
  }

  /** Copies blocks from the device to the host; {@code pairs} are sources and targets in turn. */
  void save(int[] pairs) {
    move(pairs, device, host);
  }

  void load(int[] pairs) {
    move(pairs, host, device);
  }

  void copy(int[] pairs) {
    move(pairs, device, device);
  }

  private void move(int[] pairs, long[] from, long[] to) {
    for (int i = 0; i < pairs.length; i += 2) {
      System.arraycopy(
          from, pairs[i] * slotsPerBlock, to, pairs[i + 1] * slotsPerBlock, slotsPerBlock);
    }
  }

  /** Leaves rubbish where a save was to go. */
  void spoilTargetsOnHost(int[] pairs) {
    for (int i = 1; i < pairs.length; i += 2) {
      spoil(host, pairs[i]);
    }
  }

  /** Leaves rubbish where a load or a copy was to go. */
  void spoilTargets(int[] pairs) {
    for (int i = 1; i < pairs.length; i += 2) {
      spoil(device, pairs[i]);
    }
  }

  /** What was in these blocks must not be read any more. */
  void spoilBlocks(int[] blocks) {
    for (int block : blocks) {
      spoil(device, block);
    }
  }

  private void spoil(long[] memory, int block) {
    Arrays.fill(memory, block * slotsPerBlock, (block + 1) * slotsPerBlock, RUBBISH);
  }
}
