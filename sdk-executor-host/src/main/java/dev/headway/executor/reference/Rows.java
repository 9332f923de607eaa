package dev.headway.executor.reference;

import dev.headway.executor.model.LoraWeights;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a step, one row each: token ids, positions, and the block tables of their context.
 * Rows of a request are adjacent, in order.
 */
public final class Rows {

  private int count;
  private int[] tokenIds = new int[64];
  private int[] positions = new int[64];
  private int[][][] blockTables = new int[64][][];
  private @Nullable LoraWeights[] adapters = new LoraWeights[64];
  private boolean hasAdapters;
  private int samples;
  private int[] sampleRows = new int[64];

  /** No rows yet. One thread's own while it fills them. */
  public Rows() {}

  /** Starts a step anew. */
  public void clear() {
    Arrays.fill(blockTables, 0, count, new int[0][]); // keeps nothing of requests that are gone
    Arrays.fill(adapters, 0, count, null);
    hasAdapters = false;
    count = 0;
    samples = 0;
  }

  /**
   * Adds tokens of a request at positions from {@code first} on.
   *
   * @param tables the request's blocks of each group, up to the last token at least; kept, not
   *     copied
   */
  public void add(int[] ids, int first, int[]... tables) {
    add(ids, first, null, tables);
  }

  /**
   * As the other one.
   *
   * @param adapter of the request; null without
   */
  public void add(int[] ids, int first, @Nullable LoraWeights adapter, int[]... tables) {
    hasAdapters |= adapter != null;
    if (count + ids.length > tokenIds.length) {
      final int capacity = Math.max(count + ids.length, 2 * tokenIds.length);
      tokenIds = Arrays.copyOf(tokenIds, capacity);
      positions = Arrays.copyOf(positions, capacity);
      blockTables = Arrays.copyOf(blockTables, capacity);
      adapters = Arrays.copyOf(adapters, capacity);
    }
    for (int i = 0; i < ids.length; i++) {
      tokenIds[count] = ids[i];
      positions[count] = first + i;
      blockTables[count] = tables;
      adapters[count] = adapter;
      count++;
    }
  }

  /** Says that a token is to be sampled after each of the last rows, {@code rows} in [1, count]. */
  public void sampleLast(int rows) {
    if (samples + rows > sampleRows.length) {
      sampleRows = Arrays.copyOf(sampleRows, 2 * (samples + rows));
    }
    for (int row = count - rows; row < count; row++) {
      sampleRows[samples++] = row;
    }
  }

  /** Rows of the step. */
  public int count() {
    return count;
  }

  /** The token to compute, inside the vocabulary. */
  public int tokenId(int row) {
    return tokenIds[row];
  }

  /** Its place in the sequence, from 0. */
  public int position(int row) {
    return positions[row];
  }

  /**
   * Blocks of its sequence in a group of the cache, up to the row's own at least; not to be
   * changed. Those that left the group's window may be the null block. Rows of one request share
   * the array.
   */
  public int[] blockTable(int row, int group) {
    return blockTables[row][group];
  }

  /** The adapter of a row's request, or null. */
  public @Nullable LoraWeights adapter(int row) {
    return adapters[row];
  }

  /** Whether any row has one. */
  public boolean hasAdapters() {
    return hasAdapters;
  }

  /** Rows after which a token is sampled. */
  public int samples() {
    return samples;
  }

  /** The row after which a token is sampled; they ascend. */
  public int sampleRow(int sample) {
    return sampleRows[sample];
  }
}
