package dev.headway.kvcache;

import dev.headway.api.config.Compatibility;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.kvcache.KvVerdict;
import dev.headway.api.request.KvReport;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;

/**
 * Paged KV cache for models with any mix of layers: each group has its own block tables, all draw
 * from one pool of blocks, and a prefix is found only if every group can continue it.
 *
 * <p>One thread, the engine's. Nothing but {@link #open} and a sequence's first admission allocates
 * once warm. A demand is answered by a {@link KvVerdict} before anything is taken. Made by {@link
 * KvCacheManagers}.
 */
public final class GroupedKvCacheManager implements KvCacheManager {

  private final KvCacheShape shape;
  private final int maxModelLen;
  private final boolean fenced;
  private final BlockHasher hasher;
  private final CacheRules rules;
  private final ContentTrie trie;
  private final HeldContents held;
  private final BlockPool pool;
  private final PendingWork work;
  private final StepTrust trust;
  private final LayerKind[] kinds;
  private final PrefixLookup lookup;
  private final BlockRegistrar registrar;
  private final ChunkAlignment alignment;
  private final boolean alignsChunks;
  private final int[] unitTokens;
  private final IntList releasing = new IntList();
  private int sequencesWithBlocks;
  private int neededBlocks;

  GroupedKvCacheManager(KvCacheManagers.Builder options, CacheRules rules) {
    this.rules = rules;
    shape = options.shape;
    maxModelLen = options.maxModelLen;
    fenced = options.compatibility == Compatibility.HEADWAY;
    hasher = options.hasher;
    final KvCacheListener listener = options.listener;
    final int blocks = shape.numBlocks();
    final int groups = shape.groups().size();
    final boolean hasStates = shape.groups().stream().anyMatch(KvGroup.Mamba.class::isInstance);
    trie = new ContentTrie(rules.unit(), rules.caching() ? 2 * blocks : 1, hasher);
    held = new HeldContents(trie, blocks, groups, rules.partsPerBlock());
    pool = new BlockPool(blocks, held, listener);
    work = new PendingWork(groups, hasStates);
    trust = rules.caching() ? StepTrust.watching(blocks) : StepTrust.blind();
    final StoredRange stored = new StoredRange(rules);
    final CacheParts parts =
        new CacheParts(
            rules,
            pool,
            held,
            new PartialEntries(rules, held, trust, listener, stored),
            work,
            trust,
            options.maxInFlightTokens,
            maxModelLen);
    final KindsOfLayers layers = KindsOfLayers.of(parts, shape.groups());
    kinds = layers.byGroup().toArray(new LayerKind[0]);
    lookup = new PrefixLookup(rules, layers.inSearchOrder());
    registrar = new BlockRegistrar(kinds, parts, listener, stored);
    alignment = new ChunkAlignment(rules, shape.blockSize());
    alignsChunks = hasStates && rules.caching();
    unitTokens = new int[rules.unit()];
  }

  @Override
  public KvCacheShape shape() {
    return shape;
  }

  @Override
  public KvSequence open(RequestView request) {
    final int root = trie.pinRoot(PrefixScope.of(request.request()));
    final ContentPath path = new ContentPath(trie, hasher, request, root, unitTokens);
    final BlockTable[] tables = new BlockTable[kinds.length];
    for (int group = 0; group < tables.length; group++) {
      tables[group] = kinds[group].newTable(group);
    }
    return new GroupedSequence(trust.newTenure(), request, path, tables, rules, held);
  }

  @Override
  public void close(KvSequence sequence) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    if (seq.holdsBlocks()) {
      throw new IllegalStateException(
          "a sequence must be released before it is closed: id="
              + seq.request.id()
              + ", blockCount="
              + seq.blockCount());
    }
    seq.path.close();
  }

  @Override
  public void beginStep(long stepId) {
    trust.beginStep(stepId);
    held.beginStep();
  }

  @Override
  public int match(KvSequence sequence) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    final Request request = seq.request.request();
    if (!rules.caching() || request.prefixReuse() == PrefixReuse.SKIPPED) {
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
  public KvVerdict admit(
      KvSequence sequence,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    final int hit = seq.matchedTokens;
    if (isHitInProgress(seq)) {
      neededBlocks = 0;
      return KvVerdict.PREFIX_IN_PROGRESS;
    }
    if (reserveTokens > 0) {
      final int whole = gateNeed(seq, Math.min(reserveTokens, maxModelLen));
      final KvVerdict gate = judge(whole, watermarkBlocks, KvVerdict.FULL_SEQUENCE_SHORT);
      if (gate != KvVerdict.ALLOCATED) {
        return gate;
      }
    }
    final int tokens = hit + newTokens;
    final int slots = Math.min(tokens + lookaheadTokens, maxModelLen);
    final KvVerdict verdict =
        judge(admissionNeed(seq, tokens, slots), watermarkBlocks, KvVerdict.BLOCKS_SHORT);
    if (verdict != KvVerdict.ALLOCATED) {
      return verdict;
    }
    reserve(seq, lookaheadTokens);
    holdHits(seq);
    seq.path.hold(hit / rules.unit());
    for (BlockTable table : seq.tables) {
      kinds[table.group].take(table, hit, tokens, slots);
    }
    sequencesWithBlocks++;
    register(seq, tokens, trust.step());
    return KvVerdict.ALLOCATED;
  }

  @Override
  public KvVerdict grow(
      KvSequence sequence, int computedTokens, int newTokens, int lookaheadTokens) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    final int tokens = computedTokens + newTokens;
    final int slots = Math.min(tokens + lookaheadTokens, maxModelLen);
    final int processed =
        Math.max(0, Math.min(computedTokens, maxModelLen) - seq.request.inFlightTokens());
    int need = 0;
    for (BlockTable table : seq.tables) {
      kinds[table.group].leave(table, processed);
      need += kinds[table.group].growthNeed(table, tokens, slots);
    }
    final KvVerdict verdict = judge(need, 0, KvVerdict.BLOCKS_SHORT);
    if (verdict != KvVerdict.ALLOCATED) {
      return verdict;
    }
    for (BlockTable table : seq.tables) {
      kinds[table.group].take(table, 0, tokens, slots);
    }
    register(seq, tokens, trust.step());
    return KvVerdict.ALLOCATED;
  }

  @Override
  public void cache(KvSequence sequence, int computedTokens) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    if (seq.holdsBlocks()) {
      register(seq, computedTokens, BlockWriters.ANSWERED);
    }
  }

  @Override
  public void forget(KvSequence sequence, int computedTokens) {
    registrar.forget((GroupedSequence) sequence, computedTokens);
  }

  @Override
  public int neededBlocks() {
    return neededBlocks;
  }

  @Override
  public int release(KvSequence sequence, long lastStepId) {
    final GroupedSequence seq = (GroupedSequence) sequence;
    if (!seq.holdsBlocks()) {
      return 0;
    }
    int released = 0;
    for (BlockTable table : seq.tables) {
      releasing.clear();
      for (int i = 0; i < table.count; i++) {
        if (table.blocks[i] != 0) {
          releasing.add(table.blocks[i]);
        }
      }
      released += releasing.size();
      pool.giveBackAfter(fenced ? lastStepId : 0, releasing.values(), releasing.size());
      table.clear();
    }
    seq.path.release();
    seq.matchedTokens = 0;
    sequencesWithBlocks--;
    return released;
  }

  @Override
  public void acknowledge(long stepId) {
    pool.acknowledge(stepId);
  }

  @Override
  public void confirm(long stepId) {
    trust.settle(stepId);
  }

  @Override
  public boolean restsOn(KvSequence sequence, long stepId) {
    return trust.restsOn(((GroupedSequence) sequence).tenure, stepId);
  }

  @Override
  public boolean restsOn(KvSequence sequence, KvSequence writer, long stepId) {
    return trust.restsOn(
        ((GroupedSequence) sequence).tenure, ((GroupedSequence) writer).tenure, stepId);
  }

  @Override
  public void distrust(long stepId) {
    trust.distrust(stepId, pool);
  }

  @Override
  public boolean reset() {
    if (pool.freeBlocks() < shape.usableBlocks()) {
      return false;
    }
    pool.forgetContents();
    return true;
  }

  @Override
  public int freeBlocks() {
    return pool.freeBlocks();
  }

  @Override
  public int quarantinedBlocks() {
    return pool.quarantinedBlocks();
  }

  @Override
  public int cachedContents() {
    return held.keys();
  }

  @Override
  public int commonPrefixBlocks(KvSequence sequence, int group) {
    if (!rules.caching() || !kinds[group].keepsWholeContext()) {
      return 0;
    }
    final BlockTable table = ((GroupedSequence) sequence).tables[group];
    if (sequencesWithBlocks == 1 && !work.isCopying()) {
      return table.count;
    }
    int shared = 0;
    while (shared < table.count && pool.holders(table.blocks[shared]) == sequencesWithBlocks) {
      shared++;
    }
    return shared;
  }

  @Override
  public void endStep(KvBlockWork blockWork) {
    work.handOver(blockWork, pool, fenced ? trust.step() : 0);
  }

  /**
   * Copies the free blocks in the order in which they will be taken. For tests and diagnosis:
   * O(free blocks).
   */
  public int[] freeBlocksInOrder() {
    return pool.freeBlocksInOrder();
  }

  private boolean isHitInProgress(GroupedSequence seq) {
    for (BlockTable table : seq.tables) {
      if (kinds[table.group].isHitInProgress(table)) {
        return true;
      }
    }
    return false;
  }

  private int gateNeed(GroupedSequence seq, int tokens) {
    int need = 0;
    for (BlockTable table : seq.tables) {
      need += kinds[table.group].gateNeed(table, seq.matchedTokens, tokens);
    }
    return need;
  }

  private int admissionNeed(GroupedSequence seq, int tokens, int slots) {
    int need = 0;
    for (BlockTable table : seq.tables) {
      need += kinds[table.group].admissionNeed(table, seq.matchedTokens, tokens, slots);
    }
    return need;
  }

  private KvVerdict judge(int demand, int watermarkBlocks, KvVerdict shortage) {
    neededBlocks = Math.max(0, demand + watermarkBlocks);
    final int free = pool.freeBlocks();
    if (demand > free) {
      return shortage;
    }
    return neededBlocks > free ? KvVerdict.WATERMARK_SHORT : KvVerdict.ALLOCATED;
  }

  private void holdHits(GroupedSequence seq) {
    trust.admits(seq.tenure);
    for (BlockTable table : seq.tables) {
      kinds[table.group].shareHits(table, seq.matchedTokens);
      for (int i = 0; i < table.count; i++) {
        if (table.blocks[i] != 0) {
          trust.finds(seq.tenure, table.blocks[i]);
        }
      }
    }
  }

  private void register(GroupedSequence seq, int computed, long writer) {
    if (rules.caching()) {
      registrar.register(seq, computed, writer);
    }
  }

  /** Makes room for the whole sequence, so that growing it step by step allocates nothing. */
  private void reserve(GroupedSequence seq, int lookaheadTokens) {
    final int most = CacheRoom.mostTokens(seq.request, lookaheadTokens, maxModelLen);
    if (rules.caching()) {
      seq.path.reserve(most / rules.unit());
    }
    for (BlockTable table : seq.tables) {
      table.ensureCapacity(most / rules.blockSize(table.group) + 1);
    }
  }
}
