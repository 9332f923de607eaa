package dev.headway.cuda.kernel;

import static dev.headway.cuda.device.KernelParameter.inOrder;

import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.Kernel;
import dev.headway.cuda.device.ProductWeights;

/**
 * A mixture of experts: which experts a row has, its copies grouped by expert, products of the
 * groups, and their sum. A slot is one expert of one row, {@code row * perRow + i}, experts
 * ascending; a place is where a slot lies among the groups.
 *
 * <p>What the routing decides stays on the device, and launches depend on the number of rows alone,
 * so they can be recorded. A row's bits depend on no other row: its sums have one order, whatever
 * tile it is in. Device thread only; allocates nothing.
 */
public final class ExpertKernels {
  /** Most experts of a layer. */
  public static final int MOST_EXPERTS = 1_024;

  /** Where tiles have the number of experts that had any row. */
  public static final long ACTIVATED_OFFSET = 4;

  private static final int[] TILE_ROWS = ExpertProducts.TILE_ROWS;
  private static final int THREADS = 256;
  private static final int TILE_HEADER_INTS = 4;
  private static final int TILE_INTS = 4;
  private static final int VALUES_PER_THREAD = 8;

  private final Kernel route;
  private final Kernel group;
  private final Kernel gather;
  private final Kernel combine;
  private final ExpertProducts products;

  ExpertKernels(CudaModule module) {
    route = module.kernel("route_tokens", inOrder(5, 6, 1));
    group = module.kernel("group_slots", inOrder(4, 3, 0));
    gather = module.kernel("gather_slots", inOrder(3, 2, 0));
    combine = module.kernel("combine_slots", inOrder(5, 2, 0));
    products = new ExpertProducts(module);
  }

  /**
   * Whether {@link #multiply} takes codes of which so many adjacent columns share a scale: all, or
   * 64, 128, 256 and so on.
   *
   * @param columns in [1, inputs]
   */
  public static boolean takesScales(int columns, int inputs) {
    return CodesProducts.fitTiles(columns, inputs);
  }

  /**
   * Sets each slot's expert and its weight. Of equally good experts the lower index goes first.
   *
   * @param chosen {@code int[rows * perRow]}
   * @param weights {@code float[rows * perRow]}
   * @param logits {@code float[rows][experts]}
   * @param correction {@code float[experts]}; read with sigmoid only
   * @param positions {@code int[rows]}; a row at a negative position is padding and gets no expert,
   *     only marks that say so; or 0, then none is
   */
  public void route(
      CudaStream stream,
      long chosen,
      long weights,
      long logits,
      long correction,
      long positions,
      int rows,
      RouterShape shape) {
    Shapes.requirePositive("route_tokens", "rows", rows);
    route.pointer(chosen).pointer(weights).pointer(logits).pointer(correction).pointer(positions);
    route.i32(shape.experts()).i32(shape.perRow()).i32(shape.sigmoid() ? 1 : 0);
    route.i32(shape.renormalise() ? 1 : 0).i32(shape.groups()).i32(shape.groupsPerRow());
    route.f32(shape.factor()).launch(stream, rows, 1, 1, 32, 0);
  }

  /**
   * Groups slots by expert and cuts the groups into tiles for {@link #multiply}.
   *
   * @param places {@code int[rows * perRow]}: the place of each slot
   * @param slots {@code int[rows * perRow]}: the slot at each place
   * @param tiles {@link #tileBytes}; adds the experts that have any row to the number that is
   *     {@value #ACTIVATED_OFFSET} bytes from its begin
   */
  public void group(
      CudaStream stream,
      long places,
      long slots,
      long tiles,
      long chosen,
      int rows,
      RouterShape shape) {
    group.pointer(places).pointer(slots).pointer(tiles).pointer(chosen);
    group.i32(slots(rows, shape)).i32(shape.experts()).i32(TILE_ROWS[tileFor(rows, shape)]);
    group.launch(stream, shape.experts(), 1, 1, THREADS, 0);
  }

  /**
   * {@code out[place] = x[row of the slot at place]}.
   *
   * @param out {@code [rows * perRow][dim]}
   * @param x {@code [rows][dim]}
   */
  public void gather(
      CudaStream stream, long out, long x, long slots, int rows, int dim, RouterShape shape) {
    gather.pointer(out).pointer(x).pointer(slots).i32(shape.perRow()).i32(dim);
    final int threads = threads(dim);
    final int blocks = Shapes.ceilDiv(dim, VALUES_PER_THREAD * threads);
    gather.launch(stream, slots(rows, shape), blocks, 1, threads, 0);
  }

  /**
   * {@code y[place] = x[place] * transpose(w of the place's expert) + its bias}, bf16, sums in
   * fp32. Addresses are multiples of 16.
   *
   * @param y {@code [rows * perRow][outputs]}
   * @param x {@code [rows * perRow][inputs]}
   * @param w of the first expert; the others follow it without a gap, and so do their biases and
   *     scales, if there are any: with scales {@code outputs} is a multiple of {@code 2^rowShift}
   * @param tiles of {@link #group} for as many rows
   */
  public void multiply(
      CudaStream stream,
      long y,
      long x,
      ProductWeights w,
      long tiles,
      int rows,
      RouterShape shape) {
    final int tile = tileFor(rows, shape);
    products.multiply(stream, y, x, w, tiles, tile, mostTiles(rows, TILE_ROWS[tile], shape));
  }

  /**
   * {@code hidden += sum of weight * made over a row's slots + shared}, in the order of the slots,
   * rounded once; rows of padding stay as they are.
   *
   * @param hidden {@code [rows][dim]}
   * @param made {@code [rows * perRow][dim]}, by place
   * @param shared {@code [rows][dim]}; or 0
   */
  public void combine(
      CudaStream stream,
      long hidden,
      long made,
      long weights,
      long places,
      long shared,
      int rows,
      int dim,
      RouterShape shape) {
    Shapes.requireIn("combine_slots", "rows", rows, 1, Shapes.MAX_GRID_Y);
    combine.pointer(hidden).pointer(made).pointer(weights).pointer(places).pointer(shared);
    final int threads = threads(dim);
    final int blocks = Shapes.ceilDiv(dim, VALUES_PER_THREAD * threads);
    combine.i32(shape.perRow()).i32(dim).launch(stream, blocks, rows, 1, threads, 0);
  }

  private static int threads(int dim) {
    return Math.min(THREADS, Shapes.ceilDiv(Shapes.ceilDiv(dim, VALUES_PER_THREAD), 32) * 32);
  }

  private static int slots(int rows, RouterShape shape) {
    Shapes.requirePositive("experts", "rows", rows);
    return Math.multiplyExact(rows, shape.perRow());
  }

  /** The smallest tile that holds twice the rows that an expert has on average. */
  private static int tileFor(int rows, RouterShape shape) {
    final long slots = slots(rows, shape);
    for (int i = 0; i < TILE_ROWS.length - 1; i++) {
      if (2 * slots <= (long) TILE_ROWS[i] * shape.experts()) {
        return i;
      }
    }
    return TILE_ROWS.length - 1;
  }

  /** Tiles of the worst routing: every expert that has any row has one tile that is not full. */
  private static int mostTiles(int rows, int tileRows, RouterShape shape) {
    final int slots = slots(rows, shape);
    final int some = Math.min(slots, shape.experts());
    return (slots - some) / tileRows + some;
  }

  /** Rows from which the largest tile is used. */
  public static int rowsOfTheLargestTile(RouterShape shape) {
    int rows = 1;
    while (tileFor(rows, shape) < TILE_ROWS.length - 1) {
      rows *= 2;
    }
    return rows;
  }

  /** Bytes of the tiles of up to so many rows. */
  public static long tileBytes(int rows, RouterShape shape) {
    long most = 0;
    for (int tileRows : TILE_ROWS) {
      most = Math.max(most, mostTiles(rows, tileRows, shape));
    }
    return 4 * (TILE_HEADER_INTS + TILE_INTS * most);
  }
}
