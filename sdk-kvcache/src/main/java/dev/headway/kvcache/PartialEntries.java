package dev.headway.kvcache;

import dev.headway.api.kvcache.KvCacheEvents;

/**
 * Makes the end of a prompt findable where it lies inside a block, at the last match unit: so that
 * requests with the same prompt need not compute the rest of the block again.
 *
 * <p>Engine thread only; allocates nothing once warm.
 */
final class PartialEntries {

  private final CacheGeometry geometry;
  private final CachedBlocks held;
  private final InFlightDependencies dependencies;
  private final KvCacheEvents events;
  private final StoredRange stored;

  PartialEntries(
      CacheGeometry geometry,
      CachedBlocks held,
      InFlightDependencies dependencies,
      KvCacheEvents events,
      StoredRange stored) {
    this.geometry = geometry;
    this.held = held;
    this.dependencies = dependencies;
    this.events = events;
    this.stored = stored;
  }

  /**
   * Registers the prompt's end as soon as it is among the {@code findable} tokens.
   *
   * @param writer the step that writes them, or {@link BlockWriters#ANSWERED}
   */
  void registerPromptEnd(GroupedSequence seq, BlockTable table, int findable, long writer) {
    final int end = promptEnd(seq);
    if (end <= findable) {
      register(seq, table, end, writer);
    }
  }

  /**
   * Registers a state if it is the one at the prompt's end, which the next token overwrites.
   *
   * @return whether it was registered now
   */
  boolean registerStateAtPromptEnd(
      GroupedSequence seq, BlockTable table, int findable, long writer) {
    return promptEnd(seq) == findable && register(seq, table, findable, writer);
  }

  private int promptEnd(GroupedSequence seq) {
    return seq.request.promptTokens() / geometry.unit() * geometry.unit();
  }

  private boolean register(GroupedSequence seq, BlockTable table, int end, long writer) {
    final int blockSize = geometry.blockSize(table.group);
    final int index = end / blockSize;
    if (end % blockSize == 0 || index >= table.count || table.blocks[index] == 0) {
      return false;
    }
    final int block = table.blocks[index];
    final int unit = end / geometry.unit() - 1;
    final int content = seq.path.content(unit);
    if (held.holds(block, content)) {
      return false;
    }
    final int units = end % blockSize / geometry.unit();
    if (held.coveredUnits(block) > units) {
      held.holdPart(
          block, content, units); // the sequence that was to write the block writes more of it
    } else {
      if (held.isCached(block)) {
        held.evict(block, events);
      }
      held.hold(block, table.group, content, units);
      dependencies.writes(block, seq.epoch, writer);
    }
    if (seq.wishes != null) {
      seq.wishes.tell(block, index * blockSize);
    }
    events.stored(stored.ofPart(seq, table.group, unit));
    return true;
  }
}
