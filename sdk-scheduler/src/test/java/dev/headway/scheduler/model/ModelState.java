package dev.headway.scheduler.model;

import dev.headway.api.config.AsyncScheduling;
import dev.headway.api.config.Compatibility;
import dev.headway.api.config.LonePrefill;
import dev.headway.api.config.ModelRunner;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.FinishReason;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import java.util.ArrayList;
import java.util.List;

/** What the parts of the model share, and what several of them do. */
final class ModelState {

  SchedulerConfig config;
  final KvCacheShape shape;
  final ModelDrafts drafts;
  final ModelBlocks blocks;
  final ModelQueues queues;
  final List<ModelRequest> running = new ArrayList<>();
  final boolean headway;
  final boolean fcfs;
  final boolean async;
  final boolean spaced;
  final int maxModelLen;
  final List<String> preemptedSince = new ArrayList<>();
  final List<String> finishedSince = new ArrayList<>();
  final ModelCounts counts = new ModelCounts();
  PauseState pause = PauseState.RUNNING;
  boolean capacityBound;
  boolean defer;
  long step;

  /** When planning of the step began. */
  long nowNs;

  WaitReason closed;
  ModelRequest closedBy;

  /** With a KV connector; null without one. */
  ModelConnector connector;

  /** Whether blocks written by the step that is being answered are not to be trusted. */
  boolean broken;

  /** The plan being made. */
  List<ModelEntry> plan = new ArrayList<>();

  ModelState(SchedulerConfig config, KvCacheShape shape) {
    this.config = config;
    this.shape = shape;
    drafts = ModelDrafts.of(config.speculation());
    blocks = new ModelBlocks(config, shape, drafts);
    queues = new ModelQueues(config.queuePolicy());
    headway = config.compatibility() == Compatibility.HEADWAY;
    fcfs = config.queuePolicy() == QueuePolicy.FCFS;
    async = config.pipeline().asyncScheduling() == AsyncScheduling.ENABLED;
    spaced = async && config.pipeline().modelRunner() == ModelRunner.V2;
    maxModelLen = config.limits().maxModelLen();
  }

  // -- budgets: 3.1, 3.5, 4.11

  /** B1: tokens left. */
  int tokensLeft() {
    final int given =
        config.maxNumScheduledTokens() > 0
            ? config.maxNumScheduledTokens()
            : config.limits().maxNumBatchedTokens();
    return (pause == PauseState.PAUSED ? 0 : given)
        - plan.stream().mapToInt(ModelEntry::tokens).sum();
  }

  /** B2 - D: slots left for tokens of one more request. */
  int slotsLeft() {
    return config.limits().maxNumBatchedTokens()
        - plan.stream().mapToInt(entry -> entry.tokens() + drafts.slots()).sum()
        - drafts.slots();
  }

  boolean isSpent() {
    return tokensLeft() <= 0 || slotsLeft() <= 0;
  }

  int largestChunk() {
    return Math.min(tokensLeft(), slotsLeft());
  }

  /** The threshold; a lone request may be spared it. */
  int capped(int tokens) {
    final boolean alone = running.size() + queues.all().size() == 1;
    final boolean spared = alone && config.lonePrefill() == LonePrefill.UNCAPPED;
    final int threshold = config.longPrefillTokenThreshold();
    return threshold > 0 && !spared ? Math.min(tokens, threshold) : tokens;
  }

  /** Other limits from the next step on. */
  void limit(SchedulerConfig changed) {
    config = changed;
    running.forEach(request -> request.longPrefill = isLong(request.known() - request.computed));
  }

  // -- prompts in parts

  boolean isLong(int missing) {
    return config.longPrefillTokenThreshold() > 0 && missing > config.longPrefillTokenThreshold();
  }

  /** Whether one more prompt with so many tokens to compute is one too many long ones. */
  boolean isLongInVain(int missing) {
    final long longOnes = running.stream().filter(r -> isPartial(r) && r.longPrefill).count();
    return config.maxLongPartialPrefills() > 0
        && isLong(missing)
        && longOnes >= config.maxLongPartialPrefills();
  }

  /** Whether there may be no other prompt of which only {@code want} tokens are computed. */
  boolean isPartInVain(int missing, int want) {
    return config.maxNumPartialPrefills() > 0
        && want < missing
        && running.stream().filter(this::isPartial).count() >= config.maxNumPartialPrefills();
  }

  private boolean isPartial(ModelRequest request) {
    return plan.stream()
        .filter(entry -> entry.request() == request)
        .findFirst()
        .map(entry -> request.computed + entry.tokens() < request.known() + request.placeholders)
        .orElse(request.prefillChunk);
  }

  // -- what happens to requests

  void put(ModelRequest request, EntryKind kind, int tokens, List<Integer> with, int newFrom) {
    put(request, kind, tokens, with, newFrom, 0);
  }

  void put(
      ModelRequest request,
      EntryKind kind,
      int tokens,
      List<Integer> with,
      int newFrom,
      int external) {
    plan.add(
        new ModelEntry(
            request,
            kind,
            request.computed,
            tokens,
            List.copyOf(with),
            request.computed + tokens >= request.known() + request.placeholders,
            request.outputs() + request.placeholders,
            List.copyOf(request.blocks),
            newFrom,
            request.toldStep,
            external));
    request.drafts = List.of();
  }

  /** 3.7, and 17.3 for a reset. The victim no longer stands in {@code running}. */
  void preempt(ModelRequest victim, ModelRequest beneficiary, boolean reset) {
    plan.removeIf(entry -> entry.request() == victim);
    rewind(victim, headway ? victim.computed : Integer.MAX_VALUE);
    victim.gone = reset || connector != null ? victim.stale : victim.gone; // it also sends
    victim.toldStep = reset ? 0 : victim.toldStep;
    victim.refuse(reset ? WaitReason.EVICTED : WaitReason.PREEMPTED, beneficiary);
  }

  /** A running request whose KV was not loaded, between two steps. */
  void preemptFor(ModelRequest victim, int good) {
    rewind(victim, good);
    victim.gone = victim.stale;
    victim.refuse(WaitReason.PREEMPTED, null);
  }

  private void rewind(ModelRequest victim, int sure) {
    takeBlocks(victim, sure);
    victim.drafts = List.of();
    victim.placeholders = 0;
    victim.stale = victim.inFlight;
    queues.addPreempted(victim);
  }

  /** Whoever it is does not run. */
  void takeBlocks(ModelRequest request, int sure) {
    blocks.forgetBeyond(request, sure);
    blocks.release(request);
    if (connector != null) {
      connector.forget(request);
    }
    request.computed = 0;
    request.preemptions++;
    preemptedSince.add(request.id());
    counts.preemptions++;
  }

  void end(ModelRequest request, FinishReason reason) {
    running.remove(request);
    queues.remove(request);
    if (connector == null || !connector.keeps(request, reason)) {
      blocks.release(request);
    }
    request.ended = reason;
    finishedSince.add(request.id());
    counts.finished++;
  }

  /** Nobody else is admitted in this step. */
  void close(WaitReason reason, ModelRequest blocker) {
    if (!queues.all().isEmpty()) {
      closed = reason;
      closedBy = blocker;
    }
  }

  /** More blocks than exist. */
  boolean isBeyondPool(int tokens) {
    return shape.blocksFor(Math.min(tokens, maxModelLen)) > shape.usableBlocks();
  }
}
