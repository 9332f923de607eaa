package dev.headway.cuda.reference;

import java.util.Arrays;

/**
 * The tokens of a step, one row each: what they are, where they stand, and whose blocks hold their
 * context. Rows of a request stand together, in order.
 */
final class Rows {

  private int count;
  private int[] tokenIds = new int[64];
  private int[] positions = new int[64];
  private int[][] blockTables = new int[64][];

  void clear() {
    Arrays.fill(blockTables, 0, count, new int[0]); // keeps nothing of requests that are gone
    count = 0;
  }

  /** Adds tokens of a request at positions from {@code first} on; returns the row of the last. */
  int add(int[] ids, int first, int[] blockTable) {
    if (count + ids.length > tokenIds.length) {
      final int capacity = Math.max(count + ids.length, 2 * tokenIds.length);
      tokenIds = Arrays.copyOf(tokenIds, capacity);
      positions = Arrays.copyOf(positions, capacity);
      blockTables = Arrays.copyOf(blockTables, capacity);
    }
    for (int i = 0; i < ids.length; i++) {
      tokenIds[count] = ids[i];
      positions[count] = first + i;
      blockTables[count] = blockTable;
      count++;
    }
    return count - 1;
  }

  int count() {
    return count;
  }

  int tokenId(int row) {
    return tokenIds[row];
  }

  int position(int row) {
    return positions[row];
  }

  int[] blockTable(int row) {
    return blockTables[row];
  }
}
