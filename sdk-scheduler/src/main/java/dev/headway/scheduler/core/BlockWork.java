package dev.headway.scheduler.core;

import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.request.RequestView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Block operations that the executor must perform before a step runs, as reported by the cache. One
 * thread; allocates only to grow.
 */
final class BlockWork implements KvBlockWork {

  private final Pairs copies = new Pairs();
  private final Pairs saves = new Pairs();
  private final Pairs loads = new Pairs();
  private final List<RequestView> loadedFor = new ArrayList<>();
  private int[] zeroed = new int[16];
  private int zeroes;
  private int evictions;

  /** Pairs of source and target block, in the order in which they were reported. */
  static final class Pairs {

    private int[] sources = new int[8];
    private int[] targets = new int[8];
    private int count;

    int count() {
      return count;
    }

    int source(int index) {
      return sources[index];
    }

    int target(int index) {
      return targets[index];
    }

    private void add(int source, int target) {
      if (count == sources.length) {
        sources = Arrays.copyOf(sources, 2 * count);
        targets = Arrays.copyOf(targets, 2 * count);
      }
      sources[count] = source;
      targets[count++] = target;
    }
  }

  void clear() {
    copies.count = 0;
    saves.count = 0;
    loads.count = 0;
    loadedFor.clear();
    zeroes = 0;
    evictions = 0;
  }

  Pairs copies() {
    return copies;
  }

  /** From the device to the host. */
  Pairs saves() {
    return saves;
  }

  /** From the host to the device. */
  Pairs loads() {
    return loads;
  }

  /** The first request that hit the blocks of load {@code index}. */
  RequestView loadedFor(int index) {
    return loadedFor.get(index);
  }

  /** Host blocks that lost their content to a save. */
  int evictions() {
    return evictions;
  }

  int zeroes() {
    return zeroes;
  }

  int zeroed(int index) {
    return zeroed[index];
  }

  @Override
  public void copy(int source, int target) {
    copies.add(source, target);
  }

  @Override
  public void zero(int block) {
    if (zeroes == zeroed.length) {
      zeroed = Arrays.copyOf(zeroed, 2 * zeroes);
    }
    zeroed[zeroes++] = block;
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
}
