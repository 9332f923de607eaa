package dev.headway.kvcache;

import java.util.Arrays;

/**
 * The blocks of one sequence in one group, by logical position; 0 where its layers no longer look.
 *
 * <p>Behind {@code count} the array may hold the blocks of the latest lookup; they are not held
 * until the sequence is admitted.
 */
class BlockTable {

  final int group;
  int[] blocks = new int[8];
  int count;

  /** Leading positions whose contents were registered, or passed over for good. */
  int cached;

  /** Positions the latest lookup found. */
  int matched;

  /** Tokens behind those found that come from outside, while the sequence is admitted. */
  int external;

  BlockTable(int group) {
    this.group = group;
  }

  void add(int block) {
    ensureCapacity(count + 1);
    blocks[count++] = block;
  }

  void ensureCapacity(int capacity) {
    if (blocks.length < capacity) {
      blocks = Arrays.copyOf(blocks, Math.max(capacity, 2 * blocks.length));
    }
  }

  /** Forgets everything; the blocks must have been given back. */
  void clear() {
    count = 0;
    cached = 0;
    matched = 0;
    external = 0;
  }

  /** The table of a group with recurrent states. */
  static final class States extends BlockTable {

    static final int NONE = -1;

    /** Whether the running state and its speculative blocks were taken. */
    boolean allocated;

    /** Position of the state before the running one, or {@link #NONE}. */
    int lastState = NONE;

    /** Leading positions that are null for good. */
    int leftThrough;

    /** Position of a state registered inside its block and not yet copied, or {@link #NONE}. */
    int registeredTail = NONE;

    States(int group) {
      super(group);
    }

    @Override
    void clear() {
      super.clear();
      allocated = false;
      lastState = NONE;
      leftThrough = 0;
      registeredTail = NONE;
    }
  }
}
