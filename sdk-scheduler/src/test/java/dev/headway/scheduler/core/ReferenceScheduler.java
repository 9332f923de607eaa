package dev.headway.scheduler.core;

import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.Compatibility;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.PrefixCaching;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.WaitReason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The same decisions, written to be read rather than to be fast: lists and maps, prefixes as
 * strings, nothing kept that can be counted anew. Made from the description of vLLM's behaviour,
 * not from the scheduler under test.
 */
final class ReferenceScheduler {

  /** One request. */
  static final class Req {
    final Request request;
    final long arrivalNs;
    final List<Integer> tokens = new ArrayList<>();
    List<Integer> blocks = new ArrayList<>();
    int computed;
    int cachedBlocks;
    int preemptions;
    long lastStep;
    FinishReason ended;
    WaitReason reason;

    Req(Request request, long arrivalNs) {
      this.request = request;
      this.arrivalNs = arrivalNs;
      for (int i = 0; i < request.promptTokens(); i++) {
        tokens.add(request.promptTokenId(i));
      }
    }

    String id() {
      return request.id();
    }

    int known() {
      return tokens.size();
    }

    int outputs() {
      return tokens.size() - request.promptTokens();
    }

    @Override
    public String toString() {
      return id();
    }
  }

  /** A request's share of a plan. */
  record Entry(
      Req req, int tokens, int computed, List<Integer> blocks, boolean samples, int epoch) {}

  /** Blocks that a step may still write. */
  private record Fenced(long step, List<Integer> blocks) {}

  final List<Req> waiting = new ArrayList<>();
  final List<Req> running = new ArrayList<>();
  final List<Integer> free = new ArrayList<>();
  private final List<Fenced> quarantine = new ArrayList<>();
  private final Map<String, List<Integer>> blocksOfPrefix = new HashMap<>();
  private final Map<Integer, String> prefixOfBlock = new HashMap<>();
  private final SchedulerConfig config;
  private final KvCacheShape shape;
  private final boolean headway;
  private final boolean fcfs;
  private final int watermark;
  private List<Entry> plan = new ArrayList<>();
  private WaitReason closed;
  private long step;
  private long acknowledged;

  ReferenceScheduler(SchedulerConfig config, KvCacheShape shape) {
    this.config = config;
    this.shape = shape;
    headway = config.compatibility() == Compatibility.HEADWAY;
    fcfs = config.queuePolicy() == QueuePolicy.FCFS;
    watermark = (int) (config.admission().watermark() * shape.numBlocks());
    for (int block = 1; block < shape.numBlocks(); block++) {
      free.add(block);
    }
  }

  Req add(Request request, long arrivalNs) {
    final Req req = new Req(request, arrivalNs);
    waiting.add(req);
    sortWaiting();
    return req;
  }

  private void sortWaiting() {
    if (!fcfs) {
      waiting.sort(
          Comparator.comparingInt((Req r) -> r.request.priority())
              .thenComparingLong(r -> r.arrivalNs)
              .thenComparing(Req::id));
    }
  }

  // -- a step

  List<Entry> schedule() {
    step++;
    plan = new ArrayList<>();
    waiting.forEach(req -> req.reason = null);
    running.forEach(req -> req.reason = null);
    final int budgetAtStart = config.limits().maxNumBatchedTokens();
    boolean preempted = false;
    boolean chunkTaken = false;
    int i = 0;
    while (i < running.size() && left(budgetAtStart) > 0) {
      final Req req = running.get(i);
      int want = Math.min(capped(req.known() - req.computed), left(budgetAtStart));
      want = Math.min(want, config.limits().maxModelLen() - 1 - req.computed);
      if (want <= 0) {
        req.reason = WaitReason.CONTEXT_LENGTH_LIMIT;
        i++;
        continue;
      }
      final int slots = Math.min(req.computed + want, config.limits().maxModelLen());
      final int fresh = Math.max(0, shape.blocksFor(slots) - req.blocks.size());
      boolean gone = false;
      while (!gone && fresh > free.size()) {
        if (headway && shape.blocksFor(slots) > shape.usableBlocks()) {
          running.remove(req);
          end(req, FinishReason.KV_CACHE_EXHAUSTED);
          gone = true;
          continue;
        }
        final Req victim = victim();
        i -= running.indexOf(victim) < i ? 1 : 0;
        running.remove(victim);
        plan.removeIf(entry -> entry.req() == victim);
        preempt(victim, WaitReason.PREEMPTED);
        preempted = true;
        gone = victim == req;
      }
      if (gone && req.ended == null) {
        break;
      }
      if (!gone) {
        chunkTaken |= req.computed + 1 < req.known() || req.outputs() == 0;
        give(req, want, fresh);
        i++;
      }
    }
    for (; i < running.size(); i++) {
      running.get(i).reason =
          left(budgetAtStart) > 0
              ? WaitReason.PREEMPTION_IN_STEP
              : WaitReason.MAX_NUM_BATCHED_TOKENS;
    }
    final WaitReason end =
        preempted
            ? WaitReason.PREEMPTION_IN_STEP
            : admitAll(
                budgetAtStart,
                chunkTaken ? WaitReason.CHUNKED_PREFILL : WaitReason.DECODE_PRIORITY);
    closed = waiting.isEmpty() ? closed : end;
    for (Entry entry : plan) {
      entry.req().computed += entry.tokens();
      entry.req().lastStep = step;
    }
    return plan;
  }

  /** Admits from the head; returns why that ended. */
  private WaitReason admitAll(int budgetAtStart, WaitReason exhausted) {
    WaitReason noTokens = exhausted;
    while (!waiting.isEmpty()) {
      final int left = left(budgetAtStart);
      if (left == 0) {
        return noTokens;
      }
      if (running.size() == config.limits().maxNumSeqs()) {
        return WaitReason.MAX_NUM_SEQS;
      }
      final Req head = waiting.getFirst();
      final int longest = Math.min(head.known(), config.limits().maxModelLen());
      if (headway && shape.blocksFor(longest) > shape.usableBlocks()) {
        end(head, FinishReason.KV_CACHE_EXHAUSTED);
        continue;
      }
      final List<Integer> hits = lookUp(head);
      final int hitTokens = hits.size() * shape.blockSize();
      int want = capped(head.known() - hitTokens);
      if (want > left && config.chunkedPrefill() == ChunkedPrefill.DISABLED) {
        head.reason = WaitReason.CHUNKED_PREFILL_DISABLED;
        return WaitReason.HEAD_OF_LINE;
      }
      want = Math.min(want, left);
      final int revived = (int) hits.stream().filter(free::contains).count();
      final int fresh =
          shape.blocksFor(Math.min(hitTokens + want, config.limits().maxModelLen())) - hits.size();
      final int reserve = running.isEmpty() ? 0 : watermark;
      if (config.admission().fullSequenceGate() == FullSequenceGate.WHOLE_SEQUENCE) {
        final int whole = shape.blocksFor(longest) - hits.size() + revived;
        head.reason = shortage(whole, reserve, WaitReason.FULL_SEQUENCE_RESERVE);
      }
      if (head.reason == null) {
        head.reason = shortage(fresh + revived, reserve, WaitReason.MEMORY_INSUFFICIENT);
      }
      if (head.reason != null) {
        return WaitReason.HEAD_OF_LINE;
      }
      waiting.remove(head);
      free.removeAll(hits);
      head.blocks = new ArrayList<>(hits);
      head.cachedBlocks = hits.size();
      head.computed = hitTokens;
      running.add(head);
      give(head, want, fresh);
      noTokens = WaitReason.MAX_NUM_BATCHED_TOKENS;
    }
    return noTokens;
  }

  private WaitReason shortage(int need, int reserve, WaitReason own) {
    if (need > free.size()) {
      return own;
    }
    return need + reserve > free.size() ? WaitReason.WATERMARK : null;
  }

  private int left(int budgetAtStart) {
    return budgetAtStart - plan.stream().mapToInt(Entry::tokens).sum();
  }

  private int capped(int tokens) {
    final int cap = config.longPrefillTokenThreshold();
    return cap == 0 ? tokens : Math.min(tokens, cap);
  }

  private Req victim() {
    if (fcfs) {
      return running.getLast();
    }
    return Collections.max(
        running,
        (a, b) -> {
          final int byPriority = Integer.compare(a.request.priority(), b.request.priority());
          final int byArrival = Long.compare(a.arrivalNs, b.arrivalNs);
          final int byPlace = Integer.compare(running.indexOf(b), running.indexOf(a)); // earliest
          return byPriority != 0 ? byPriority : byArrival != 0 ? byArrival : byPlace;
        });
  }

  private void give(Req req, int tokens, int fresh) {
    for (int n = 0; n < fresh; n++) {
      final int block = free.removeFirst();
      forget(block);
      req.blocks.add(block);
    }
    final boolean samples = req.computed + tokens >= req.known();
    plan.add(
        new Entry(req, tokens, req.computed, List.copyOf(req.blocks), samples, req.preemptions));
    if (config.prefixCaching() == PrefixCaching.ENABLED) {
      final int full = Math.min(req.computed + tokens, req.known()) / shape.blockSize();
      for (; req.cachedBlocks < full; req.cachedBlocks++) {
        final String prefix = prefix(req, req.cachedBlocks + 1);
        final int block = req.blocks.get(req.cachedBlocks);
        blocksOfPrefix.computeIfAbsent(prefix, key -> new ArrayList<>()).add(block);
        prefixOfBlock.put(block, prefix);
      }
    }
  }

  private void preempt(Req req, WaitReason reason) {
    if (headway) {
      forgetBeyond(req, req.computed);
    }
    release(req);
    req.computed = 0;
    req.preemptions++;
    req.reason = reason;
    waiting.addFirst(req);
    sortWaiting();
  }

  /** Only the first {@code computed} tokens are sure to be computed. */
  private void forgetBeyond(Req req, int computed) {
    for (int b = computed / shape.blockSize(); b < req.cachedBlocks; b++) {
      forget(req.blocks.get(b));
    }
    req.cachedBlocks = Math.min(req.cachedBlocks, computed / shape.blockSize());
  }

  private void fail(Entry entry) {
    forgetBeyond(entry.req(), entry.computed());
    end(entry.req(), FinishReason.EXECUTOR_FAILED);
  }

  /** A failed entry takes those with it that share a block it was to compute. */
  private void failWithSharers(Entry failed) {
    final int doubtful = failed.computed() / shape.blockSize();
    final List<Integer> blocks = List.copyOf(failed.req().blocks);
    for (Entry entry : plan.subList(plan.indexOf(failed) + 1, plan.size())) {
      final List<Integer> others = entry.req().blocks;
      if (entry.req().ended == null
          && doubtful < Math.min(blocks.size(), others.size())
          && others.get(doubtful).equals(blocks.get(doubtful))) {
        fail(entry);
      }
    }
    fail(failed);
  }

  private void end(Req req, FinishReason reason) {
    release(req);
    running.remove(req);
    waiting.remove(req);
    req.ended = reason;
  }

  // -- what comes back

  /** Takes answers over: {@code answers} has a token, or null for a failure, for each entry. */
  void update(List<Integer> answers) {
    for (int i = 0; i < plan.size(); i++) {
      final Req req = plan.get(i).req();
      if (req.ended != null || req.preemptions != plan.get(i).epoch()) {
        continue;
      }
      final Integer token = answers.get(i);
      if (token == null) {
        failWithSharers(plan.get(i));
      } else if (plan.get(i).samples()) {
        req.tokens.add(token);
        final FinishReason reason = stop(req, token);
        if (reason != null) {
          end(req, reason);
        }
      }
    }
    acknowledge(step);
  }

  void abandon(boolean done) {
    for (Entry entry : plan) {
      if (entry.req().ended == null && entry.req().preemptions == entry.epoch()) {
        fail(entry);
      }
    }
    if (done) {
      acknowledge(step);
    }
  }

  private FinishReason stop(Req req, int token) {
    if (req.outputs() < req.request.stopRule().minTokens()) {
      return null;
    }
    if (req.request.stopRule().isEos(token) || req.request.stopRule().isStopToken(token)) {
      return FinishReason.STOP;
    }
    final boolean full =
        req.known() >= config.limits().maxModelLen()
            || req.outputs() >= req.request.stopRule().maxTokens();
    return full ? FinishReason.LENGTH : null;
  }

  void finish(Req req) {
    end(req, FinishReason.ABORTED);
  }

  boolean reset(boolean preemptRunning) {
    while (preemptRunning && !running.isEmpty()) {
      preempt(running.removeLast(), WaitReason.EVICTED);
    }
    if (free.size() < shape.usableBlocks()) {
      return false;
    }
    blocksOfPrefix.clear();
    prefixOfBlock.clear();
    return true;
  }

  // -- blocks

  private void release(Req req) {
    if (headway && req.lastStep > acknowledged && !req.blocks.isEmpty()) {
      quarantine.add(new Fenced(req.lastStep, req.blocks));
      req.blocks = new ArrayList<>();
    } else {
      final List<Integer> blocks = req.blocks;
      req.blocks = new ArrayList<>();
      giveBack(blocks);
    }
    req.cachedBlocks = 0;
  }

  /** Frees those of the blocks, last one first, that nobody else has. */
  private void giveBack(List<Integer> blocks) {
    final Set<Integer> taken = taken();
    int front = 0;
    for (int block : blocks.reversed()) {
      if (taken.contains(block)) {
        continue;
      }
      if (prefixOfBlock.containsKey(block)) {
        free.addLast(block);
      } else {
        free.add(front++, block);
      }
    }
  }

  /** Blocks that somebody holds, or that are in quarantine. */
  Set<Integer> taken() {
    final Set<Integer> taken = new HashSet<>();
    running.forEach(req -> taken.addAll(req.blocks));
    plan.forEach(entry -> taken.addAll(entry.req().blocks));
    quarantine.forEach(fenced -> taken.addAll(fenced.blocks()));
    return taken;
  }

  void acknowledge(long upTo) {
    acknowledged = Math.max(acknowledged, upTo);
    while (!quarantine.isEmpty() && quarantine.getFirst().step() <= acknowledged) {
      giveBack(quarantine.removeFirst().blocks());
    }
  }

  int quarantined() {
    final Set<Integer> blocks = new HashSet<>();
    quarantine.forEach(fenced -> blocks.addAll(fenced.blocks()));
    running.forEach(req -> blocks.removeAll(req.blocks));
    return blocks.size();
  }

  int cachedContents() {
    return (int) blocksOfPrefix.values().stream().filter(blocks -> !blocks.isEmpty()).count();
  }

  private List<Integer> lookUp(Req req) {
    final List<Integer> hits = new ArrayList<>();
    if (config.prefixCaching() == PrefixCaching.DISABLED
        || req.request.prefixReuse() == PrefixReuse.SKIPPED) {
      return hits;
    }
    while (hits.size() < (req.known() - 1) / shape.blockSize()) {
      final List<Integer> found =
          blocksOfPrefix.getOrDefault(prefix(req, hits.size() + 1), List.of());
      if (found.isEmpty()) {
        break;
      }
      hits.add(found.getFirst());
    }
    return hits;
  }

  private void forget(int block) {
    final String prefix = prefixOfBlock.remove(block);
    if (prefix != null) {
      blocksOfPrefix.get(prefix).remove((Integer) block);
    }
  }

  private String prefix(Req req, int blocks) {
    return req.request.cacheSalt().orElse("") + req.tokens.subList(0, blocks * shape.blockSize());
  }

  /** Why a waiting request waits, as of the latest step. */
  WaitReason reasonOf(Req req) {
    return req.reason != null ? req.reason : closed;
  }
}
