package dev.headway.cuda.kernel;

/**
 * Cuts the rows that decode into items of about equal work: a row and a range of its keys. The list
 * of them is what {@link AttentionKernels#decode} works through.
 *
 * <p>A row's cut depends on its own number of keys and on the model, never on the rows beside it:
 * neither the batch's size nor its padding changes the result of a row. Items have {@link #minKeys}
 * keys, and more in a row that would have over {@link #maxItems} of them, so that merging stays
 * cheap; a row's last item takes what would be a short one behind it. Models with few KV heads have
 * shorter items and more of them, so that one long row fills a device.
 *
 * <p>Immutable; allocates nothing.
 */
public final class DecodeCut {
  /**
   * {@code int}s of a list without items: their number first, then two for {@link
   * TableKernels#change}.
   */
  public static final int HEADER_INTS = 4;

  /** {@code int}s of an item: row, first key, end of its keys, place and number of the row's. */
  public static final int ITEM_INTS = 4;

  private static final int STEP = 64; // keys that the warps of a block take at once
  private static final int MOST_MIN_KEYS = 256;
  private static final int UNITS_OF_A_LONG_ROW = 256; // about two blocks per multiprocessor
  private static final int FEWEST_MAX_ITEMS = 32;
  private static final int SHORTEST_PART = 4; // of minKeys, that is an item of its own

  /** Keys that a warp takes at once: items begin at multiples of it. */
  public static final int PIECE = 16;

  private final int minKeys;
  private final int maxItems;

  /** For rows of a model. */
  public DecodeCut(AttentionKernelShape shape) {
    this(DecodeKernelShape.of(shape).unitsPerItem(shape));
  }

  DecodeCut(int unitsPerItem) {
    minKeys = Math.clamp((long) STEP * unitsPerItem / 2, STEP, MOST_MIN_KEYS) / STEP * STEP;
    maxItems = Math.max(FEWEST_MAX_ITEMS, UNITS_OF_A_LONG_ROW / unitsPerItem);
  }

  /** Keys of an item of all but long rows. */
  public int minKeys() {
    return minKeys;
  }

  /** Most items of a row, however long. */
  public int maxItems() {
    return maxItems;
  }

  /** Items of a row that sees {@code keys} keys; 1 if it sees none. */
  public int items(int keys) {
    final int length = keysPerItem(keys);
    return Math.max(1, (keys + length - 1 - minKeys / SHORTEST_PART) / length);
  }

  /** Items of a row that sees the keys [first, keys). */
  public int items(int first, int keys) {
    return items(keys - pieceOf(first));
  }

  /** Where the first piece of a row begins, of which it may not see the first keys. */
  private static int pieceOf(int first) {
    return first / PIECE * PIECE;
  }

  /** Most items of any row that sees up to {@code keys} keys. */
  public int mostItems(int keys) {
    return Math.clamp(Shapes.ceilDiv(keys, minKeys), 1, maxItems);
  }

  /** Whether the items of a row are longer than those of most: they should begin first. */
  public boolean isLong(int keys) {
    return keysPerItem(keys) > minKeys;
  }

  /** {@link #isLong(int)} of a row that sees the keys [first, keys). */
  public boolean isLong(int first, int keys) {
    return isLong(keys - pieceOf(first));
  }

  private int keysPerItem(int keys) {
    return Math.max(minKeys, Shapes.ceilDiv(Shapes.ceilDiv(keys, maxItems), STEP) * STEP);
  }

  /**
   * Writes the items of a row, which follow each other.
   *
   * @param target where to, from {@code at} on
   * @param row row of queries and output
   * @param keys keys that it sees; 0 for a row of padding, whose output becomes zero
   * @return where the next item goes
   */
  public int write(int[] target, int at, int row, int keys) {
    return write(target, at, row, 0, keys);
  }

  /**
   * Writes the items of a row that sees the keys [first, keys) only. All but the first begin at
   * multiples of 16.
   *
   * @return where the next item goes
   */
  public int write(int[] target, int at, int row, int first, int keys) {
    final int base = pieceOf(first);
    final int length = keysPerItem(keys - base);
    final int items = items(keys - base);
    int to = at;
    for (int item = 0; item < items; item++) {
      target[to++] = row;
      target[to++] = item == 0 ? first : base + item * length;
      target[to++] = item == items - 1 ? keys : base + (item + 1) * length;
      target[to++] = item << 16 | items;
    }
    return to;
  }
}
