package dev.headway.kvcache;

import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.KvReport;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;

/**
 * Paged KV cache for models with any mix of layers: each group has its own block tables, all draw
 * from one pool of blocks, and a prefix is found only if every group can continue it.
 *
 * <p>One thread, the engine's. Nothing but {@link #open} and a sequence's first admission allocates
 * once warm. A demand is answered by a {@link Allocation} before anything is taken. Made by {@link
 * KvCacheManagers}.
 */
public final class GroupedKvCacheManager extends PooledKvCache {

  private final BlockHashChain.Factory chains;
  private final CacheGeometry geometry;
  private final PrefixTree tree;
  private final CachedBlocks held;
  private final PendingWork work;
  private final AttentionTypeManager[] types;
  private final PrefixLookup lookup;
  private final BlockRegistrar registrar;
  private final ChunkAlignment alignment;
  private final boolean alignsChunks;
  private final int[] unitTokens;
  private final IntList releasing = new IntList();

  GroupedKvCacheManager(KvCacheManagers.Builder options, CacheGeometry geometry) {
    this(options, geometry, newCachedBlocks(options, geometry));
  }

  private GroupedKvCacheManager(
      KvCacheManagers.Builder options, CacheGeometry geometry, CachedBlocks held) {
    super(options, held, geometry.caching());
    this.geometry = geometry;
    this.held = held;
    tree = held.tree();
    chains = geometry.caching() ? options.hasher.chains(geometry.unit()) : BlockHashChain.NONE;
    final boolean hasStates = shape.groups().stream().anyMatch(KvGroup.Mamba.class::isInstance);
    work = new PendingWork(shape.groups().size(), hasStates);
    final StoredRange stored = new StoredRange(geometry, events);
    final CacheParts parts =
        new CacheParts(
            geometry,
            pool,
            held,
            new PartialEntries(geometry, held, dependencies, events, stored),
            work,
            dependencies,
            options.maxInFlightTokens,
            maxModelLen,
            fenced);
    final AttentionTypes all = AttentionTypes.of(parts, shape.groups());
    types = all.byGroup().toArray(new AttentionTypeManager[0]);
    lookup = new PrefixLookup(geometry, all.inSearchOrder());
    registrar = new BlockRegistrar(types, parts, events, stored);
    alignment = new ChunkAlignment(geometry, shape.blockSize());
    alignsChunks = hasStates && geometry.caching();
    unitTokens = new int[geometry.unit()];
  }

  private static CachedBlocks newCachedBlocks(
      KvCacheManagers.Builder options, CacheGeometry geometry) {
    final int blocks = options.shape.numBlocks();
    final int contents = geometry.caching() ? 2 * blocks : 1;
    final PrefixTree tree = new PrefixTree(geometry.unit(), contents);
    return new CachedBlocks(tree, blocks, options.shape.groups().size(), geometry.partsPerBlock());
  }

  @Override
  SequenceEpoch epochOf(KvSequence sequence) {
    return ((GroupedSequence) sequence).epoch;
  }

  @Override
  public KvSequence open(RequestView request) {
    final int root = tree.pinRoot(PrefixScope.of(request.request()));
    final PrefixPath path = new PrefixPath(tree, chains, request, root, unitTokens);
    final BlockTable[] tables = new BlockTable[types.length];
    for (int group = 0; group < tables.length; group++) {
      tables[group] = types[group].newTable(group);
    }
    final SequenceEpoch epoch = dependencies.newEpoch();
    final GroupedSequence seq = new GroupedSequence(epoch, request, path, tables, geometry, held);
    seq.wishes = geometry.caching() ? wishesOf(request) : null;
    return seq;
  }

  @Override
  public void close(KvSequence sequence) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    if (seq.holdsBlocks()) {
      throw new IllegalStateException(
          "a sequence must be released before it is closed: id="
              + seq.request.id()
              + ", blockCount="
              + seq.blockCount(0));
    }
    seq.path.close();
    seq.epoch.close();
  }

  @Override
  public void beginStep(long stepId) {
    super.beginStep(stepId);
    held.beginStep();
  }

  @Override
  public int lookup(KvSequence sequence) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    final Request request = seq.request.request();
    if (!geometry.caching() || request.prefixReuse() == PrefixReuse.SKIPPED) {
      return 0;
    }
    lookup.find(seq);
    if (request.kvReport() == KvReport.FULL) {
      registrar.announceHits(seq);
    }
    return seq.matchedTokens;
  }

  @Override
  public int alignChunk(KvSequence sequence, int startTokens, int newTokens, int largestChunk) {
    return alignsChunks
        ? alignment.align((GroupedSequence) sequence, startTokens, newTokens, largestChunk)
        : newTokens;
  }

  @Override
  public Allocation allocate(
      KvSequence sequence,
      int externalTokens,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    final int tokens = seq.matchedTokens + externalTokens + newTokens;
    final Allocation answer =
        admit(seq, externalTokens, tokens, lookaheadTokens, reserveTokens, watermarkBlocks, 0);
    if (answer.isAllocated()) {
      register(seq, tokens, dependencies.step());
    }
    return answer;
  }

  @Override
  public Allocation load(
      KvSequence sequence,
      int externalTokens,
      int reserveTokens,
      int watermarkBlocks,
      int reservedBlocks) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    final int tokens = seq.matchedTokens + externalTokens;
    return admit(seq, externalTokens, tokens, 0, reserveTokens, watermarkBlocks, reservedBlocks);
  }

  /** Takes what the lookup has found, and blocks for the rest of {@code tokens} tokens. */
  private Allocation admit(
      GroupedSequence seq,
      int externalTokens,
      int tokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks,
      int reservedBlocks) {
    final int hit = seq.matchedTokens;
    if (isHitInProgress(seq)) {
      return refuse(Allocation.Status.PREFIX_IN_PROGRESS);
    }
    for (BlockTable table : seq.tables) {
      table.external = externalTokens;
    }
    if (reserveTokens > 0) {
      final int whole = gateNeed(seq, Math.min(reserveTokens, maxModelLen));
      final Allocation gate = judge(whole, watermarkBlocks, Allocation.Status.FULL_SEQUENCE_SHORT);
      if (!gate.isAllocated()) {
        return refusedAdmission(gate);
      }
    }
    final int slots = Math.min(tokens + lookaheadTokens, maxModelLen);
    final int need = admissionNeed(seq, tokens, slots);
    final Allocation answer =
        judge(need, watermarkBlocks, reservedBlocks, Allocation.Status.BLOCKS_SHORT);
    if (!answer.isAllocated()) {
      return refusedAdmission(answer);
    }
    reserve(seq, lookaheadTokens);
    holdHits(seq);
    seq.path.hold(hit / geometry.unit());
    if (externalTokens > 0) { // in vLLM's order: all groups' loaded blocks come first
      take(seq, hit, hit + externalTokens, hit + externalTokens);
    }
    take(seq, hit, tokens, slots);
    countHolder(1);
    if (seq.wishes != null) {
      tellFound(seq, seq.wishes);
    }
    return answer;
  }

  @Override
  public Allocation readmit(
      KvSequence sequence,
      int computedTokens,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    final int tokens = computedTokens + newTokens;
    final int slots = Math.min(tokens + lookaheadTokens, maxModelLen);
    final int processed = processed(seq, computedTokens);
    int need = 0;
    int whole = 0;
    for (BlockTable table : seq.tables) {
      types[table.group].leave(table, processed);
      need += types[table.group].growthNeed(table, tokens, slots);
      whole += reserveTokens == 0 ? 0 : types[table.group].growthGate(table, reserveTokens);
    }
    yieldPins(need);
    if (reserveTokens > 0) {
      final Allocation gate = judge(whole, watermarkBlocks, Allocation.Status.FULL_SEQUENCE_SHORT);
      if (!gate.isAllocated()) {
        return gate;
      }
    }
    final Allocation answer = judge(need, watermarkBlocks, Allocation.Status.BLOCKS_SHORT);
    if (!answer.isAllocated()) {
      return answer;
    }
    take(seq, 0, tokens, slots);
    register(seq, tokens, dependencies.step());
    return answer;
  }

  @Override
  void tellFound(KvSequence sequence, KvCacheRetention retention) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    tellFound(seq, new RetentionWishes(pool, seq.request, retention));
  }

  private void tellFound(GroupedSequence seq, RetentionWishes wishes) {
    for (BlockTable table : seq.tables) {
      wishes.tellAll(table.blocks, 0, table.matched, geometry.blockSize(table.group));
    }
  }

  @Override
  public void commit(KvSequence sequence, int computedTokens) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    if (seq.holdsBlocks()) {
      register(seq, computedTokens, BlockWriters.ANSWERED);
    }
  }

  @Override
  public int release(KvSequence sequence, int computedTokens, long lastStepId) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    if (!seq.holdsBlocks()) {
      return 0;
    }
    registrar.forget(seq, computedTokens);
    int released = 0;
    for (BlockTable table : seq.tables) {
      releasing.clear();
      for (int i = 0; i < table.count; i++) {
        if (table.blocks[i] != 0) {
          releasing.add(table.blocks[i]);
        }
      }
      released += releasing.size();
      pool.giveBackAfter(lastStepId, releasing.values(), releasing.size());
      table.clear();
    }
    seq.path.release();
    seq.matchedTokens = 0;
    countHolder(-1);
    return released;
  }

  @Override
  public int missingBlocks(KvSequence sequence, int tokens) {
    int missing = 0;
    for (BlockTable table : ((GroupedSequence) sequence).tables) {
      missing += types[table.group].growthGate(table, tokens);
    }
    return missing;
  }

  @Override
  public void forget(KvSequence sequence, int computedTokens) {
    registrar.forget((GroupedSequence) sequence, computedTokens);
  }

  @Override
  public void leaveWindows(KvSequence sequence, int computedTokens) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    final int processed = processed(seq, computedTokens);
    for (BlockTable table : seq.tables) {
      types[table.group].leave(table, processed);
    }
  }

  /** Tokens behind which no step that is out writes, in whose blocks that matters. */
  private int processed(GroupedSequence seq, int computedTokens) {
    final int answered = Math.min(computedTokens, maxModelLen) - seq.request.inFlightTokens();
    return Math.max(0, isLoadedFromOutside() ? geometry.computedByModules(answered, 0) : answered);
  }

  @Override
  public int blocksGained(
      KvSequence holding, int computedTokens, long lastStepId, KvSequence waiting) {
    if (!pool.isAcknowledged(lastStepId)) {
      return 0;
    }
    final GroupedSequence seq = (GroupedSequence) holding;
    final int sure = geometry.computedByModules(computedTokens, seq.matchedTokens);
    int gained = 0;
    for (BlockTable table : seq.tables) {
      final BlockTable found = ((GroupedSequence) waiting).tables[table.group];
      for (int i = 0; i < table.count; i++) {
        final int block = table.blocks[i];
        final boolean wanted = block != 0 && i < found.matched && found.blocks[i] == block;
        if (wanted && (i + 1) * geometry.blockSize(table.group) > sure) {
          return -1; // the prefix that all groups can continue may end anywhere then
        }
        gained += block != 0 && !wanted && pool.isHeldOnce(block) ? 1 : 0;
      }
    }
    return gained;
  }

  @Override
  public int cachedContents() {
    return held.keys();
  }

  @Override
  int prefixCapacity() {
    return tree.capacity();
  }

  @Override
  public int commonPrefixBlocks(KvSequence sequence, int group) {
    if (!geometry.caching() || !types[group].keepsWholeContext()) {
      return 0;
    }
    final BlockTable table = ((GroupedSequence) sequence).tables[group];
    if (hasOneHolder() && !work.isCopying()) {
      return table.count;
    }
    return heldByAll(table.blocks, table.count);
  }

  @Override
  public void endStep(KvBlockWork blockWork) {
    work.handOver(blockWork, pool, fenced ? dependencies.step() : 0);
  }

  private void take(GroupedSequence seq, int hit, int tokens, int slots) {
    for (BlockTable table : seq.tables) {
      types[table.group].take(table, hit, tokens, slots);
    }
  }

  private boolean isHitInProgress(GroupedSequence seq) {
    for (BlockTable table : seq.tables) {
      if (types[table.group].isHitInProgress(table, seq.matchedTokens)) {
        return true;
      }
    }
    return false;
  }

  private int gateNeed(GroupedSequence seq, int tokens) {
    int need = 0;
    for (BlockTable table : seq.tables) {
      need += types[table.group].gateNeed(table, seq.matchedTokens, tokens);
    }
    return need;
  }

  private int admissionNeed(GroupedSequence seq, int tokens, int slots) {
    int need = 0;
    for (BlockTable table : seq.tables) {
      need += types[table.group].admissionNeed(table, seq.matchedTokens, tokens, slots);
    }
    return need;
  }

  private void holdHits(GroupedSequence seq) {
    dependencies.admits(seq, seq.epoch);
    for (BlockTable table : seq.tables) {
      types[table.group].shareHits(table, seq.matchedTokens);
      for (int i = 0; i < table.count; i++) {
        if (table.blocks[i] != 0) {
          dependencies.finds(seq.epoch, table.blocks[i]);
        }
      }
    }
  }

  private void register(GroupedSequence seq, int computed, long writer) {
    if (geometry.caching()) {
      registrar.register(seq, computed, writer);
    }
  }

  /** Makes room for the whole sequence, so that growing it step by step allocates nothing. */
  private void reserve(GroupedSequence seq, int lookaheadTokens) {
    final int most = mostTokens(seq.request, lookaheadTokens);
    if (geometry.caching()) {
      seq.path.reserve(most / geometry.unit());
    }
    for (BlockTable table : seq.tables) {
      table.ensureCapacity(most / geometry.blockSize(table.group) + 1);
    }
  }
}
