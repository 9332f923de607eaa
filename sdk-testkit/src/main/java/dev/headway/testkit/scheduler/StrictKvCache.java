package dev.headway.testkit.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvDependents;
import dev.headway.api.kvcache.KvResidency;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.RequestView;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A KV cache in front of another that checks the order of calls: steps begin and end once each, in
 * order, and what depends on a failed step is released before that step is over.
 */
final class StrictKvCache implements KvCacheManager {

  private final KvCacheManager cache;
  private final IdentityHashMap<KvSequence, RequestView> open = new IdentityHashMap<>();
  private final Set<KvSequence> holding = new HashSet<>();
  private final Map<KvSequence, Integer> mostComputed = new HashMap<>();
  private final Set<KvSequence> dependents = new HashSet<>();
  private final Deque<Long> out = new ArrayDeque<>();
  private boolean planning;
  private boolean failed;
  private long begun;
  private long ended;

  /** Names a sequence that depends on the next failed step, beside those that the cache names. */
  @Nullable String alsoDependent;

  StrictKvCache(KvCacheManager cache) {
    this.cache = cache;
  }

  /** The step that is out fails, before which the sequence had {@code computedTokens} computed. */
  void willFail(KvSequence sequence, int computedTokens) {
    mostComputed.put(sequence, computedTokens);
  }

  /** What was to fail has failed. */
  void hasFailed() {
    mostComputed.clear();
  }

  /** The scheduler has processed step {@code stepId}. */
  void checkEnded(long stepId, boolean failed) {
    assertEquals(stepId, ended, "stepEnded must be called for each step that is over");
    if (failed) {
      assertTrue(this.failed, "stepFailed must be called before stepEnded when a step failed");
    }
    this.failed = false;
  }

  @Override
  public KvCacheShape shape() {
    return cache.shape();
  }

  @Override
  public KvSequence open(RequestView request) {
    final KvSequence sequence = cache.open(request);
    open.put(sequence, request);
    return sequence;
  }

  @Override
  public void close(KvSequence sequence) {
    requireOpen(sequence);
    assertFalse(holding.contains(sequence), "a sequence must be released before it is closed");
    open.remove(sequence);
    cache.close(sequence);
  }

  @Override
  public void beginStep(long stepId) {
    assertFalse(planning, "endStep must be called before the next beginStep");
    assertEquals(begun + 1, stepId, "beginStep must be called for each step, in order");
    begun = stepId;
    planning = true;
    cache.beginStep(stepId);
  }

  @Override
  public void endStep(KvBlockWork work) {
    assertTrue(planning, "beginStep must be called before endStep");
    planning = false;
    out.addLast(begun);
    cache.endStep(work);
  }

  /** A plan was made. */
  void checkPlanned(long stepId) {
    assertEquals(stepId, begun, "beginStep must be called for each step");
    assertFalse(planning, "endStep must be called for each step");
  }

  @Override
  public int lookup(KvSequence sequence) {
    requirePlanning(sequence);
    assertFalse(holding.contains(sequence), "lookup is for sequences without blocks");
    return cache.lookup(sequence);
  }

  @Override
  public int alignChunk(KvSequence sequence, int startTokens, int newTokens, int largestChunk) {
    requirePlanning(sequence);
    return cache.alignChunk(sequence, startTokens, newTokens, largestChunk);
  }

  @Override
  public Allocation allocate(
      KvSequence sequence,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks) {
    requirePlanning(sequence);
    assertFalse(holding.contains(sequence), "allocate is for sequences without blocks");
    final Allocation answer =
        cache.allocate(sequence, newTokens, lookaheadTokens, reserveTokens, watermarkBlocks);
    if (answer.isAllocated()) {
      holding.add(sequence);
    }
    return answer;
  }

  @Override
  public Allocation extend(
      KvSequence sequence, int computedTokens, int newTokens, int lookaheadTokens) {
    requirePlanning(sequence);
    assertTrue(holding.contains(sequence), "extend is for sequences with blocks");
    return cache.extend(sequence, computedTokens, newTokens, lookaheadTokens);
  }

  @Override
  public void commit(KvSequence sequence, int computedTokens) {
    requireOpen(sequence);
    cache.commit(sequence, computedTokens);
  }

  @Override
  public int release(KvSequence sequence, int computedTokens, long lastStepId) {
    final RequestView request = requireOpen(sequence);
    final int most = mostComputed.getOrDefault(sequence, Integer.MAX_VALUE);
    assertTrue(
        computedTokens <= most,
        () ->
            "tokens of a step that failed must not be released as computed: id="
                + request.id()
                + ", computedTokens="
                + computedTokens
                + ", at most "
                + most);
    holding.remove(sequence);
    dependents.remove(sequence);
    return cache.release(sequence, computedTokens, lastStepId);
  }

  @Override
  public int blocksGained(
      KvSequence holder, int computedTokens, long lastStepId, KvSequence waiting) {
    requirePlanning(waiting);
    assertTrue(holding.contains(holder), "blocksGained is asked of sequences with blocks");
    return cache.blocksGained(holder, computedTokens, lastStepId, waiting);
  }

  @Override
  public void stepFailed(
      long stepId, @Nullable KvSequence failedSequence, KvDependents ofScheduler) {
    assertEquals(out.peekFirst(), stepId, "stepFailed is for the oldest step that is out");
    failed = true;
    cache.stepFailed(stepId, failedSequence, dependent -> name(dependent, ofScheduler));
    for (KvSequence sequence : Set.copyOf(holding)) {
      if (requireOpen(sequence).id().equals(alsoDependent)) {
        name(sequence, ofScheduler);
      }
    }
  }

  private void name(KvSequence dependent, KvDependents ofScheduler) {
    if (holding.contains(dependent)) {
      dependents.add(dependent);
      ofScheduler.add(dependent);
    }
  }

  @Override
  public void stepEnded(long stepId) {
    assertEquals(out.pollFirst(), stepId, "stepEnded is for the oldest step that is out");
    assertEquals(Set.of(), dependents, "what depends on a failed step must be released before");
    ended = stepId;
    cache.stepEnded(stepId);
  }

  @Override
  public void acknowledge(long stepId) {
    assertTrue(stepId <= begun, "only planned steps can be acknowledged");
    cache.acknowledge(stepId);
  }

  @Override
  public boolean retainsByPriority() {
    return cache.retainsByPriority();
  }

  @Override
  public void retain(KvSequence sequence, KvCacheRetention retention) {
    cache.retain(sequence, retention);
  }

  @Override
  public int pinnedBlocks() {
    return cache.pinnedBlocks();
  }

  @Override
  public boolean reset() {
    return cache.reset();
  }

  @Override
  public int freeBlocks() {
    return cache.freeBlocks();
  }

  @Override
  public int quarantinedBlocks() {
    return cache.quarantinedBlocks();
  }

  @Override
  public KvResidency residency() {
    return cache.residency();
  }

  @Override
  public int commonPrefixBlocks(KvSequence sequence, int group) {
    requireOpen(sequence);
    return cache.commonPrefixBlocks(sequence, group);
  }

  private RequestView requireOpen(KvSequence sequence) {
    final RequestView request = open.get(sequence);
    if (request == null) {
      throw new AssertionError("a sequence must be open: " + sequence);
    }
    return request;
  }

  private void requirePlanning(KvSequence sequence) {
    requireOpen(sequence);
    assertTrue(planning, "blocks are looked up and allocated between beginStep and endStep");
  }
}
