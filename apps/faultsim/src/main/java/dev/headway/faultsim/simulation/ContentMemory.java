package dev.headway.faultsim.simulation;

import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.KvSequence;
import java.util.Arrays;
import java.util.List;

/**
 * Memory of blocks in which every slot says what it stands for: a token behind all before it, in
 * one group of layers. A group with recurrent states has one slot a block, for the state after its
 * last token. So what a request sees shows whether it is its own.
 *
 * <p>Drafting modules that look ahead have slots of their own in the same blocks; they can fill
 * them only for tokens behind which others are computed.
 */
final class ContentMemory {

  private static final long RUBBISH = -1;

  /** A state behind drafts: in which of its blocks it is, is the executor's affair. */
  private static final long UNKNOWN = -2;

  private final KvGroup[] groups;
  private final int[] blockSizes;
  private final boolean[] isRecurrent;

  /** Where the slots of the drafting modules begin in a block. */
  private final int modulesFrom;

  private final int slotsPerBlock;
  private final int moduleLag;
  private final long[] device;
  private final long[] host;

  /** Block tables of an entry, with the blocks of each group. */
  static final class Tables {
    int[][] blocks = {};
    int[] counts = {};
    int[] sizes = {};

    /** Copies those of a sequence. */
    void copy(KvSequence sequence, int[] blockSizes) {
      sizes = blockSizes;
      counts = new int[blockSizes.length];
      blocks = new int[blockSizes.length][];
      for (int group = 0; group < counts.length; group++) {
        counts[group] = sequence.blockCount(group);
        blocks[group] = new int[counts[group]];
        sequence.copyBlockIds(group, 0, blocks[group], 0, counts[group]);
      }
    }

    /** Whether these and the others have a block in common for tokens in {@code [from, to)}. */
    boolean shares(Tables other, int from, int to) {
      for (int group = 0; group < counts.length; group++) {
        final int end = Math.min(Math.min(counts[group], other.counts[group]), to / sizes[group]);
        for (int at = from / sizes[group]; at < end; at++) {
          if (blocks[group][at] != KvCacheShape.NULL_BLOCK
              && blocks[group][at] == other.blocks[group][at]) {
            return true;
          }
        }
      }
      return false;
    }
  }

  /**
   * Makes a memory.
   *
   * @param moduleLag tokens that must be computed behind one before drafting modules have it too
   */
  ContentMemory(KvCacheShape shape, int hostBlocks, int moduleLag) {
    this.moduleLag = moduleLag;
    final List<KvGroup> all = shape.groups();
    groups = all.toArray(new KvGroup[0]);
    blockSizes = all.stream().mapToInt(KvGroup::blockSize).toArray();
    isRecurrent = new boolean[groups.length];
    for (int group = 0; group < groups.length; group++) {
      isRecurrent[group] = groups[group] instanceof KvGroup.Mamba;
    }
    modulesFrom = Arrays.stream(blockSizes).max().orElseThrow();
    slotsPerBlock = moduleLag > 0 ? 2 * modulesFrom : modulesFrom;
    device = new long[shape.numBlocks() * slotsPerBlock];
    host = new long[hostBlocks * slotsPerBlock];
  }

  int[] blockSizes() {
    return blockSizes;
  }

  /**
   * Whether all is there that the layers look at to compute the token at {@code position}, and what
   * the drafting modules look at.
   *
   * @param foundUntil where the request began to compute: what is before it, it has found
   * @param hasDrafted whether it has had drafts since
   */
  boolean canCompute(
      Tables tables,
      long[] truth,
      int generation,
      int position,
      int foundUntil,
      boolean hasDrafted) {
    final int computedByModules = Math.max(position - moduleLag, Math.min(foundUntil, position));
    for (int group = 0; group < groups.length; group++) {
      if (isRecurrent[group] && hasDrafted) {
        continue;
      }
      final int[] table = tables.blocks[group];
      final int size = blockSizes[group];
      final long salt = salt(group, generation);
      final boolean hasModules = moduleLag > 0 && !isRecurrent[group];
      for (int before = firstSeenFrom(group, position); before < position; before++) {
        final int slot = slot(table, size, group, before);
        final long expected = truth[before] ^ salt;
        if ((device[slot] != expected && !(isRecurrent[group] && device[slot] == UNKNOWN))
            || (hasModules
                && before < computedByModules
                && device[slot + modulesFrom] != expected)) {
          return false;
        }
      }
    }
    return true;
  }

  private static long salt(int group, int generation) {
    return ((long) group << 48) ^ ((long) generation << 20);
  }

  private int firstSeenFrom(int group, int position) {
    return switch (groups[group]) {
      case KvGroup.FullAttention full -> 0;
      case KvGroup.SlidingWindow window -> Math.max(0, position - window.windowTokens() + 1);
      case KvGroup.ChunkedLocal local -> position / local.chunkTokens() * local.chunkTokens();
      case KvGroup.Mamba states -> Math.max(0, position - 1);
    };
  }

  /** Writes the tokens {@code [from, to)}; returns whether there were blocks for all. */
  boolean write(
      Tables tables,
      long[] truth,
      int generation,
      int from,
      int to,
      int foundUntil,
      boolean hasDrafted) {
    boolean room = true;
    for (int group = 0; group < groups.length; group++) {
      if (isRecurrent[group] && hasDrafted) {
        forgetStates(tables.blocks[group], tables.counts[group], from, blockSizes[group]);
        continue;
      }
      final int[] table = tables.blocks[group];
      final int size = blockSizes[group];
      final long salt = salt(group, generation);
      for (int position = isRecurrent[group] ? to - 1 : from; position < to; position++) {
        final int index = position / size;
        if (index >= tables.counts[group]) {
          return false;
        }
        room &= table[index] != KvCacheShape.NULL_BLOCK;
        device[slot(table, size, group, position)] = truth[position] ^ salt;
      }
      if (moduleLag > 0 && !isRecurrent[group]) {
        for (int position = Math.max(from - moduleLag, foundUntil);
            position < to - moduleLag;
            position++) {
          device[slot(table, size, group, position) + modulesFrom] = truth[position] ^ salt;
        }
      }
    }
    return room;
  }

  /** The KV of the tokens {@code [from, to)} has come, that of drafting modules with it. */
  void fill(Tables tables, long[] truth, int generation, int from, int to) {
    for (int group = 0; group < groups.length; group++) {
      final long salt = salt(group, generation);
      for (int position = from; position < to; position++) {
        final int size = blockSizes[group];
        if (position / size < tables.counts[group]
            && tables.blocks[group][position / size] != KvCacheShape.NULL_BLOCK) {
          final int slot = slot(tables.blocks[group], size, group, position);
          device[slot] = truth[position] ^ salt;
          if (moduleLag > 0) {
            device[slot + modulesFrom] = truth[position] ^ salt;
          }
        }
      }
    }
  }

  private void forgetStates(int[] table, int count, int from, int size) {
    for (int index = Math.max(0, from - 1) / size; index < count; index++) {
      if (table[index] != KvCacheShape.NULL_BLOCK) {
        device[table[index] * slotsPerBlock] = UNKNOWN;
      }
    }
  }

  /** Leaves rubbish where the tokens {@code [from, to)} are. */
  void spoil(Tables tables, int from, int to, int foundUntil) {
    for (int group = 0; group < groups.length; group++) {
      final int[] table = tables.blocks[group];
      final int size = blockSizes[group];
      for (int position = isRecurrent[group] ? Math.max(from, to - 1) : from;
          position < to;
          position++) {
        if (position >= 0 && position / size < tables.counts[group]) {
          device[slot(table, size, group, position)] = RUBBISH;
        }
      }
      if (moduleLag > 0 && !isRecurrent[group]) {
        for (int position = Math.max(from - moduleLag, foundUntil); position < to; position++) {
          if (position >= 0 && position / size < tables.counts[group]) {
            device[slot(table, size, group, position) + modulesFrom] = RUBBISH;
          }
        }
      }
    }
  }

  private int slot(int[] table, int size, int group, int position) {
    final int inside = isRecurrent[group] ? 0 : position % size;
    return table[position / size] * slotsPerBlock + inside;
  }

  /** Copies blocks from the device to the host; sources and targets in turn. */
  void save(IntArray pairs) {
    move(pairs, device, host);
  }

  void load(IntArray pairs) {
    move(pairs, host, device);
  }

  void copy(IntArray pairs) {
    move(pairs, device, device);
  }

  private void move(IntArray pairs, long[] from, long[] to) {
    for (int i = 0; i < pairs.size(); i += 2) {
      System.arraycopy(
          from, pairs.get(i) * slotsPerBlock, to, pairs.get(i + 1) * slotsPerBlock, slotsPerBlock);
    }
  }

  /** Leaves rubbish where a save was to go. */
  void spoilTargetsOnHost(IntArray pairs) {
    for (int i = 1; i < pairs.size(); i += 2) {
      spoil(host, pairs.get(i));
    }
  }

  /** Leaves rubbish where a load or a copy was to go. */
  void spoilTargets(IntArray pairs) {
    for (int i = 1; i < pairs.size(); i += 2) {
      spoil(device, pairs.get(i));
    }
  }

  /** What was in these blocks must not be read any more. */
  void spoilBlocks(IntArray blocks) {
    for (int i = 0; i < blocks.size(); i++) {
      spoil(device, blocks.get(i));
    }
  }

  private void spoil(long[] memory, int block) {
    Arrays.fill(memory, block * slotsPerBlock, (block + 1) * slotsPerBlock, RUBBISH);
  }
}
