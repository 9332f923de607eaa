package dev.headway.cuda.kernel;

/**
 * Cuts chunks of several rows into items of work: a tile of up to {@value #TILE_ROWS} rows and a
 * range of its keys. The list of them is what {@link AttentionKernels#prefill} is launched over.
 *
 * <p>Tiles that fill a device have one item each. A chunk of fewer has as many as do, but none of
 * fewer than {@link #minKeys} keys and no tile more than {@link #maxParts}, so that merging stays
 * cheap. A chunk's cut depends on its own number of rows, on the keys before it and on the model,
 * never on the chunks beside it: a batch changes no result.
 *
 * <p>Rows of tiles that have several items leave records, a record for each row and item. They are
 * bounded by {@link #mostRecords}; what needs more is launched in turns ({@link #records}).
 *
 * <p>Immutable; allocates nothing.
 */
public final class PrefillCut {
  /** Most rows of a tile. */
  public static final int TILE_ROWS = 64;

  /**
   * {@code int}s of an item: first row, rows, row of the block table, position of the first row or
   * {@value #PADDING}, first key, end of its keys, place and number of the tile's, first record.
   */
  public static final int ITEM_INTS = 8;

  /** Position of an item that is left alone. */
  public static final int PADDING = -1;

  private static final int STEP = 64; // keys that a block takes at once; a multiple for all shapes
  private static final int MOST_MIN_KEYS = 512;
  private static final int MAX_PARTS = 32;
  private static final int SHORTEST_PART = 4; // of an item, that is one of its own
  private static final int BLOCKS_AT_ONCE = 264; // two on each of 132 multiprocessors
  private static final int ENOUGH_BLOCKS_AT_ONCE = BLOCKS_AT_ONCE * 3 / 4;
  private static final int TURNS_OF_RECORDS = 4; // that blocks of a launch may take

  private final int blocksPerTile;
  private final int minKeys;

  /** For chunks of a model. */
  public PrefillCut(AttentionKernelShape shape) {
    this(PrefillKernelShape.of(shape).blocksPerTile(shape));
  }

  PrefillCut(int blocksPerTile) {
    this.blocksPerTile = blocksPerTile;
    minKeys = Math.clamp(STEP / 2L * blocksPerTile, STEP, MOST_MIN_KEYS) / STEP * STEP;
  }

  /** Fewest keys of an item, if a tile has several; but for the last one, which may have fewer. */
  public int minKeys() {
    return minKeys;
  }

  /**
   * Most items of a tile of a chunk of so many rows, however long its context: what a device holds
   * at once, or in two turns where that would leave more than a quarter of it idle.
   */
  public int maxParts(int rows) {
    final int blocks = Math.multiplyExact(tiles(rows), blocksPerTile);
    final int atOnce = BLOCKS_AT_ONCE / blocks;
    final int parts =
        atOnce * blocks >= ENOUGH_BLOCKS_AT_ONCE ? atOnce : 2 * BLOCKS_AT_ONCE / blocks;
    return Math.clamp(parts, 1, MAX_PARTS);
  }

  private static int tiles(int rows) {
    return Shapes.ceilDiv(rows, TILE_ROWS);
  }

  /**
   * Keys of each item of a tile but the last.
   *
   * @param shared keys up to its first row's own, that one included: an item that began behind them
   *     would have nothing for its first rows
   */
  private int keysPerItem(int rows, int shared) {
    final int parts = Math.clamp(shared / minKeys, 1, maxParts(rows));
    return Shapes.ceilDiv(Shapes.ceilDiv(shared, parts), STEP) * STEP;
  }

  private int parts(int rows, int shared) {
    final int length = keysPerItem(rows, shared);
    return Math.max(1, (shared + length - 1 - length / SHORTEST_PART) / length);
  }

  /** Where the first tile of keys begins that rows from a position on see. */
  private static int tileOf(int position, int window) {
    return AttentionBatch.firstKey(position, window) / STEP * STEP;
  }

  /** Keys from there to the position's own. */
  private static int shared(int position, int window) {
    return position + 1 - tileOf(position, window);
  }

  /** Items of a chunk of {@code rows} rows that follow {@code before} others of its sequence. */
  public int items(int rows, int before) {
    return items(rows, before, 0);
  }

  /**
   * The same where a row sees a window.
   *
   * @param window in keys; 0 for all
   */
  public int items(int rows, int before, int window) {
    int items = 0;
    for (int done = 0; done < rows; done += TILE_ROWS) {
      items += parts(rows, shared(before + done, window));
    }
    return items;
  }

  /** About how many keys its longest item has: those with more should begin first. */
  public int longestItem(int rows, int before, int window) {
    final int last = before + (rows - 1) / TILE_ROWS * TILE_ROWS;
    return (before + rows - tileOf(last, window)) / parts(rows, shared(last, window));
  }

  /**
   * Records of the tile that begins {@code done} rows after the chunk does; 0 if it is one item.
   */
  public int records(int rows, int before, int done) {
    return records(rows, before, done, 0);
  }

  /** The same where a row sees a window. */
  public int records(int rows, int before, int done, int window) {
    final int parts = parts(rows, shared(before + done, window));
    return parts == 1 ? 0 : parts * tileRows(rows, done);
  }

  private static int tileRows(int rows, int done) {
    return Math.min(TILE_ROWS, rows - done);
  }

  /** Most items of a step. */
  public int mostItems(int maxRows, int maxSequences, int maxKeys) {
    final int chunks = Math.min(maxSequences, maxRows / 2);
    return Math.multiplyExact(maxRows / TILE_ROWS + chunks, mostParts(maxKeys));
  }

  private int mostParts(int maxKeys) {
    return Math.clamp(maxKeys / minKeys, 1, maxParts(1)); // more tiles have fewer each
  }

  /**
   * Most records of a launch of a step of that size: a quarter of what all its tiles can need, no
   * more than blocks leave in a few turns, but what any tile needs.
   */
  public int mostRecords(int maxRows, int maxKeys) {
    final int parts = mostParts(maxKeys);
    final long turns = (long) TURNS_OF_RECORDS * BLOCKS_AT_ONCE * TILE_ROWS / blocksPerTile;
    final int ofATile = Math.min(maxRows, TILE_ROWS) * parts;
    return parts == 1 ? 0 : (int) Math.max(ofATile, Math.min(turns, (long) maxRows * parts / 4));
  }

  /**
   * Writes the items of a tile, which follow each other.
   *
   * @param target where to, from {@code at} on
   * @param rows of the chunk
   * @param before tokens of its sequence before it
   * @param done rows of it before the tile
   * @param firstRow row of the batch that the chunk begins with
   * @param table its row of the block tables
   * @param record the first of its {@link #records}; any number if it has none
   * @return where the next item goes
   */
  public int write(
      int[] target, int at, int rows, int before, int done, int firstRow, int table, int record) {
    return write(target, at, rows, before, done, firstRow, table, record, 0);
  }

  /**
   * The same where a row sees a window: the keys of the tile begin with its first row's.
   *
   * @param window in keys; 0 for all
   */
  public int write(
      int[] target,
      int at,
      int rows,
      int before,
      int done,
      int firstRow,
      int table,
      int record,
      int window) {
    final int first = AttentionBatch.firstKey(before + done, window);
    final int base = tileOf(before + done, window);
    final int length = keysPerItem(rows, shared(before + done, window));
    final int parts = parts(rows, shared(before + done, window));
    final int tileRows = tileRows(rows, done);
    int to = at;
    for (int part = 0; part < parts; part++) {
      target[to++] = firstRow + done;
      target[to++] = tileRows;
      target[to++] = table;
      target[to++] = before + done;
      target[to++] = part == 0 ? first : base + part * length;
      target[to++] = part == parts - 1 ? before + done + tileRows : base + (part + 1) * length;
      target[to++] = part << 16 | parts;
      target[to++] = record + part * tileRows;
    }
    return to;
  }
}
