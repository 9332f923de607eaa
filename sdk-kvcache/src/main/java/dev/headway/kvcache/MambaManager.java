package dev.headway.kvcache;

import dev.headway.api.kvcache.KvGroup;

/*
 * A table is null ... null, running state, speculative states. A step that ends in a later block puts
 * its running state there; the speculative blocks move along, and the state before stays until the
 * step that left it is processed: with several steps out there are as many such states, with nulls
 * between them where a step went past a block. A state that is needed twice (a hit inside a block goes
 * on, and others may still hit it) is copied: the table and the prefix cache then have a block each.
 */

/** Recurrent states in blocks, kept where blocks end. */
final class MambaManager extends BlockwiseManager {

  private final int speculativeBlocks;
  private final RetentionMask mask;
  private final int[] oneBlock = new int[1];

  MambaManager(CacheParts parts, KvGroup.Mamba layers, int[] groups) {
    super(parts, layers, groups);
    speculativeBlocks = layers.speculativeBlocks();
    mask = RetentionMask.of(geometry, layers);
  }

  @Override
  public BlockTable newTable(int group) {
    return new BlockTable.States(group);
  }

  /** A state summarizes all tokens before it. */
  @Override
  int skippedTokens(int tokens) {
    return Math.max(0, tokens - 1);
  }

  @Override
  public int dropTokens() {
    return 0;
  }

  /** From the right, the first state kept; it needs no drop, a state is computed on from there. */
  @Override
  public int search(GroupedSequence seq, int limit, boolean dropLast) {
    final int step = geometry.hitUnit() / geometry.unit();
    int units = Math.min(limit / geometry.unit(), seq.path.found()) / step * step;
    while (units > 0 && !isUnitHeld(seq.path, units - 1)) {
      units -= step;
    }
    final int length = units * geometry.unit();
    final int blocks = blocksFor(length);
    for (int group : groups) {
      final BlockTable table = seq.tables[group];
      table.ensureCapacity(blocks);
      for (int i = 0; i < blocks - 1; i++) {
        table.blocks[i] = 0;
      }
      if (blocks > 0) {
        table.blocks[blocks - 1] = parts.held().firstBlock(seq.path.content(units - 1), group);
      }
      table.matched = blocks;
    }
    return length;
  }

  @Override
  public boolean isHitInProgress(BlockTable table, int hitTokens) {
    return table.matched > 0 && parts.held().isOfThisStep(table.blocks[table.matched - 1]);
  }

  @Override
  public int gateNeed(BlockTable table, int hitTokens, int tokens) {
    return admissionNeed(table, hitTokens, tokens, tokens);
  }

  @Override
  public int admissionNeed(BlockTable table, int hitTokens, int tokens, int slots) {
    final int hits = table.matched;
    if (hits == 0) {
      return need(table, tokens, 0, false);
    }
    final int last = table.blocks[hits - 1];
    final int idle = parts.pool().isFree(last) ? 1 : 0;
    return need(table, tokens, hits, hitTokens % blockSize != 0) + idle;
  }

  @Override
  public int growthNeed(BlockTable table, int tokens, int slots) {
    final boolean copies = ((BlockTable.States) table).registeredTail != BlockTable.States.NONE;
    return need(table, tokens, 0, copies);
  }

  @Override
  public int growthGate(BlockTable table, int tokens) {
    return growthNeed(table, tokens, tokens);
  }

  /** Negative when more blocks are there than needed: the other groups' demand counts less then. */
  private int need(BlockTable table, int tokens, int hits, boolean copies) {
    final int missing = lengthFor(tokens) - hits - table.count;
    if (missing <= 0 && !copies) {
      return missing;
    }
    if (missing <= 0 && parts.fenced()) { // vLLM asks for a state beside the copy
      return 1;
    }
    final int states = ((BlockTable.States) table).allocated ? 1 : 1 + speculativeBlocks;
    return states + (copies ? 1 : 0);
  }

  @Override
  public void take(BlockTable table, int hitTokens, int tokens, int slots) {
    final BlockTable.States states = (BlockTable.States) table;
    final boolean copiesHit = hitTokens % blockSize != 0;
    final boolean copies = copiesHit || states.registeredTail != BlockTable.States.NONE;
    final int length = lengthFor(tokens);
    if (length > table.count || copies) {
      rememberLastState(states);
      if (copiesHit) {
        copyHit(states);
      } else if (copies) {
        copyRegisteredTail(states);
      }
      extend(states, length);
    }
    states.allocated = true;
  }

  private void rememberLastState(BlockTable.States states) {
    if (states.allocated) {
      states.lastState = states.count - 1 - speculativeBlocks;
    } else if (states.count > 0) {
      states.lastState = states.count - 1;
    }
  }

  /** The sequence continues in a new block; the block that was hit is not changed. */
  private void copyHit(BlockTable.States states) {
    final int target = parts.pool().take();
    parts.pool().share(target);
    parts.work().copy(states.group, states.blocks[states.count - 1], target);
    states.blocks[states.count - 1] = target;
  }

  /** The sequence continues in its block; what others can hit moves to a new block. */
  private void copyRegisteredTail(BlockTable.States states) {
    final int source = states.blocks[states.registeredTail];
    final int target = parts.pool().take();
    parts.held().move(source, target);
    parts.dependencies().copies(source, target);
    parts.pool().share(source);
    parts.work().copy(states.group, source, target);
    states.registeredTail = BlockTable.States.NONE;
  }

  private void extend(BlockTable.States states, int length) {
    final int running = length - speculativeBlocks - 1;
    final int before = states.count;
    states.ensureCapacity(length);
    while (states.count < running) {
      states.add(0);
    }
    if (states.allocated) {
      for (int i = before - speculativeBlocks; i < Math.min(before, running); i++) {
        states.add(states.blocks[i]);
        states.blocks[i] = 0;
      }
    }
    while (states.count < length) {
      states.add(parts.pool().take());
    }
  }

  @Override
  public void leave(BlockTable table, int processed) {
    super.leave(table, processed);
    final BlockTable.States states = (BlockTable.States) table;
    final int last = states.lastState;
    if (last != BlockTable.States.NONE
        && last < blocksFor(processed) - 1
        && table.blocks[last] != 0) {
      oneBlock[0] = table.blocks[last];
      table.blocks[last] = 0;
      parts.pool().giveBack(oneBlock, 1);
    }
    if (parts.fenced()) { // vLLM remembers the last state only, and keeps those before it
      leaveEarlierStates(states, Math.min(blocksFor(processed) - 1, states.count));
    }
    if (states.registeredTail != BlockTable.States.NONE
        && states.blocks[states.registeredTail] == 0) {
      states.registeredTail = BlockTable.States.NONE; // the sequence no longer continues in it
    }
  }

  /** States that steps have left between those that were given back. */
  private void leaveEarlierStates(BlockTable.States states, int end) {
    for (; states.leftThrough < end; states.leftThrough++) {
      final int state = states.leftThrough;
      if (states.blocks[state] != 0) {
        oneBlock[0] = states.blocks[state];
        states.blocks[state] = 0;
        parts.pool().giveBack(oneBlock, 1);
      }
    }
  }

  @Override
  public boolean keeps(int index, GroupedSequence seq) {
    return mask.keeps(index, seq);
  }

  /**
   * A state that is ahead of the known tokens is no longer the one at the prompt's end; nor is one
   * that is ahead of what is findable, since drafting modules have not computed so far.
   */
  @Override
  public void registerPart(
      GroupedSequence seq, BlockTable table, int findable, int computed, long writer) {
    final boolean ahead =
        computed > seq.request.knownTokens()
            || writer == BlockWriters.ANSWERED
            || (computed > findable && parts.fenced()); // vLLM shares the state all the same
    if (!ahead && parts.partials().registerStateAtPromptEnd(seq, table, findable, writer)) {
      ((BlockTable.States) table).registeredTail = findable / blockSize;
    }
  }

  private int lengthFor(int tokens) {
    return blocksFor(tokens) + speculativeBlocks;
  }
}
