package dev.headway.api.support;

import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.BlockList;
import dev.headway.api.step.BlockOperations;
import dev.headway.api.step.BlockPairs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Block operations as a KV cache reports them, or copied from a plan. One thread at a time;
 * allocates only to grow.
 */
public final class SimpleBlockOperations implements KvBlockWork, BlockOperations {

  private final Pairs saves = new Pairs();
  private final Pairs loads = new Pairs();
  private final Pairs copies = new Pairs();
  private final Blocks zeroed = new Blocks();
  private final List<RequestView> loadedFor = new ArrayList<>();
  private int evictions;

  /** Creates an empty list of operations. */
  public SimpleBlockOperations() {}

  /** Whether any blocks are saved or loaded. */
  public boolean moveBlocks() {
    return saves.sources.size + loads.sources.size > 0;
  }

  /** Removes all operations. */
  public void clear() {
    saves.clear();
    loads.clear();
    copies.clear();
    zeroed.size = 0;
    loadedFor.clear();
    evictions = 0;
  }

  /** Makes these the operations of {@code other}, without the requests and evictions. */
  public void copyFrom(BlockOperations other) {
    clear();
    saves.addAll(other.saves());
    loads.addAll(other.loads());
    copies.addAll(other.copies());
    for (int i = 0; i < other.zeroed().size(); i++) {
      zero(other.zeroed().block(i));
    }
  }

  /** The first request that hit the blocks of load {@code index}, in [0, loads). */
  public RequestView loadedFor(int index) {
    return loadedFor.get(index);
  }

  /** Host blocks that lost their content to a save. */
  public int evictions() {
    return evictions;
  }

  @Override
  public BlockPairs saves() {
    return saves;
  }

  @Override
  public BlockPairs loads() {
    return loads;
  }

  @Override
  public BlockList zeroed() {
    return zeroed;
  }

  @Override
  public BlockPairs copies() {
    return copies;
  }

  @Override
  public void save(int device, int host) {
    saves.add(device, host);
  }

  @Override
  public void load(RequestView request, int host, int device) {
    loads.add(host, device);
    loadedFor.add(request);
  }

  @Override
  public void evicted(int host) {
    evictions++;
  }

  @Override
  public void zero(int block) {
    zeroed.add(block);
  }

  @Override
  public void copy(int source, int target) {
    copies.add(source, target);
  }

  private static final class Blocks implements BlockList {

    private int[] blocks = new int[16];
    private int size;

    private void add(int block) {
      if (size == blocks.length) {
        blocks = Arrays.copyOf(blocks, 2 * size);
      }
      blocks[size++] = block;
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public int block(int index) {
      return blocks[Objects.checkIndex(index, size)];
    }
  }

  private static final class Pairs implements BlockPairs {

    private final Blocks sources = new Blocks();
    private final Blocks targets = new Blocks();

    private void add(int source, int target) {
      sources.add(source);
      targets.add(target);
    }

    private void addAll(BlockPairs pairs) {
      for (int i = 0; i < pairs.size(); i++) {
        add(pairs.source(i), pairs.target(i));
      }
    }

    private void clear() {
      sources.size = 0;
      targets.size = 0;
    }

    @Override
    public int size() {
      return sources.size;
    }

    @Override
    public int source(int index) {
      return sources.block(index);
    }

    @Override
    public int target(int index) {
      return targets.block(index);
    }
  }
}
