package dev.headway.scheduler.model;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.core.KvExchanges;
import dev.headway.scheduler.state.RequestState;
import dev.headway.scheduler.testing.SyncDriver;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/** Equal decisions, and the laws that hold whatever the model says. */
final class Comparison {

  private final SyncDriver real;
  private final ModelScheduler model;
  private final Told told;
  private final Supplier<String> where;

  Comparison(SyncDriver real, ModelScheduler model, Told told, Supplier<String> where) {
    this.real = real;
    this.model = model;
    this.told = told;
    this.where = where;
  }

  void same(Object actual, Object expected, String what) {
    if (!Objects.equals(actual, expected)) {
      throw broken(what + "\n  is       " + actual + "\n  expected " + expected + "\n ");
    }
  }

  AssertionError broken(String law) {
    return new AssertionError(law + ", " + where.get());
  }

  // -- plans

  void checkPlan(StepPlan plan, ModelScheduler.Plan expected) {
    final List<String> entries = new ArrayList<>();
    for (int i = 0; i < plan.size(); i++) {
      entries.add(entry(plan, i));
    }
    same(entries, expected.entries().stream().map(ModelEntry::toString).toList(), "entries");
    final List<String> preempted = new ArrayList<>();
    for (int i = 0; i < plan.preempted().size(); i++) {
      preempted.add(plan.preempted().id(i));
    }
    same(preempted, expected.preempted(), "preempted");
    final List<String> finished = new ArrayList<>();
    for (int i = 0; i < plan.finished().size(); i++) {
      finished.add(plan.finished().id(i));
    }
    same(finished, expected.finished(), "finished");
    same(plan.stepId(), expected.step(), "step");
    same(plan.drafts().toPropose(), expected.nextDrafts(), "next drafts");
    same(plan.blocks().commonPrefix(0), expected.commonPrefix(), "common prefix");
    final List<ModelRequest> waiting = model.state.queues.all();
    same(
        told.gauges,
        new Told.Gauges(
            model.state.running.size(),
            waiting.size(),
            (int) waiting.stream().filter(request -> request.preemptions > 0).count(),
            expected.free()),
        "gauges after the plan");
    checkBudgets(plan);
  }

  private static String entry(StepPlan plan, int i) {
    final List<Integer> drafts = new ArrayList<>();
    for (int d = 0; d < plan.drafts().count(i); d++) {
      drafts.add(plan.drafts().tokenId(i, d));
    }
    final List<Integer> blocks = new ArrayList<>();
    for (int b = 0; b < plan.blocks().count(i, 0); b++) {
      blocks.add(plan.blocks().of(i).blockId(0, b));
    }
    return plan.request(i).id()
        + " "
        + plan.kind(i)
        + " "
        + plan.computedTokens(i)
        + "+"
        + plan.scheduledTokens(i)
        + " drafts="
        + drafts
        + " samples="
        + plan.samples(i)
        + " outputs="
        + plan.outputTokens(i)
        + " blocks="
        + blocks
        + " from="
        + plan.blocks().newFrom(i, 0)
        + " before="
        + plan.previousStepId(i)
        + " external="
        + plan.externalTokens(i);
  }

  private void checkBudgets(StepPlan plan) {
    int total = 0;
    final Set<String> ids = new HashSet<>();
    for (int i = 0; i < plan.size(); i++) {
      total += plan.scheduledTokens(i);
      if (plan.scheduledTokens(i) < 1 || !ids.add(plan.request(i).id())) {
        throw broken("an entry each, with tokens: id=" + plan.request(i).id());
      }
      final int end = plan.computedTokens(i) + plan.scheduledTokens(i);
      if ((model.state.headway && plan.computedTokens(i) < 0)
          || end > plan.blocks().count(i, 0) * model.state.shape.blockSize()) {
        throw broken("every token has its slot: id=" + plan.request(i).id());
      }
    }
    same(plan.totalTokens(), total, "total");
    final int slots = total + plan.size() * model.state.drafts.slots();
    if (slots > model.state.config.limits().maxNumBatchedTokens()) {
      throw broken("tokens within the budget: slots=" + slots);
    }
  }

  // -- states

  void check(Collection<Pair> alive) {
    checkQueues(alive.size());
    same(real.scheduler().stats(), model.stats(), "stats");
    same(real.scheduler().inspect().unfinishedCount(), model.unfinished(), "unfinished");
    model.state.counts.acceptedAt.forEach(
        (position, times) ->
            same(
                real.scheduler().inspect().acceptedDraftsAt(position),
                times,
                "accepted at " + position));
    for (Pair pair : alive) {
      checkTokens(pair.view(), pair.model());
      checkReason(pair);
    }
    checkBlocks(alive);
  }

  private void checkQueues(int alive) {
    final List<String> running = new ArrayList<>();
    real.scheduler().inspect().forEachRunning(request -> running.add(request.id()));
    same(running, ids(model.state.running), "running");
    final List<String> waiting = new ArrayList<>();
    real.scheduler().inspect().forEachWaiting(request -> waiting.add(request.id()));
    same(waiting, ids(model.state.queues.waiting), "waiting");
    final List<String> skipped = new ArrayList<>();
    real.scheduler().inspect().forEachPassedOver(request -> skipped.add(request.id()));
    same(skipped, ids(model.state.queues.skipped), "passed over");
    same(real.scheduler().waitingCount(), waiting.size() + skipped.size(), "waiting count");
    if (running.size() > model.state.config.limits().maxNumSeqs()
        || running.size() + waiting.size() + skipped.size() != alive) {
      throw broken("everybody is somewhere: alive=" + alive);
    }
  }

  private void checkTokens(RequestView view, ModelRequest expected) {
    same(view.computedTokens(), expected.computed, "computed tokens of " + view.id());
    same(view.knownTokens(), expected.known(), "known tokens of " + view.id());
    same(view.tokenId(view.knownTokens() - 1), expected.tokens.getLast(), "token of " + view.id());
    same(view.inFlightTokens(), expected.inFlight, "tokens in flight of " + view.id());
    same(view.cachedTokens(), expected.cachedTokens, "cached tokens of " + view.id());
    same(view.preemptions(), expected.preemptions, "preemptions of " + view.id());
    same(
        view.sharedPrefixTokens(),
        expected.cachedBlocks * model.state.shape.blockSize(),
        "findable tokens of " + view.id());
  }

  private void checkReason(Pair pair) {
    final String own = told.own.get(pair.view().id());
    final ModelRequest request = pair.model();
    final String expected =
        request.reason == null ? null : request.reason + " by " + name(request.blocker);
    same(own, expected, "own reason of " + request);
    final boolean waits = !model.state.running.contains(request);
    if (waits && pair.seenByAStep() && own == null) {
      same(
          told.shared(),
          model.state.closed + " by " + name(model.state.closedBy),
          "shared reason of " + request);
    }
  }

  private static String name(ModelRequest request) {
    return request == null ? "-" : request.id();
  }

  private void checkBlocks(Collection<Pair> alive) {
    final int[] free = real.kv().freeBlocksInOrder();
    same(Arrays.stream(free).boxed().toList(), model.state.blocks.free, "free blocks in order");
    final int quarantined = real.kv().quarantinedBlocks();
    same(quarantined, model.state.blocks.quarantined(), "quarantined");
    same(real.kv().cachedContents(), model.state.blocks.cachedContents(), "cached contents");
    final Set<Integer> held = new HashSet<>();
    for (Pair pair : alive) {
      final KvSequence kv = ((RequestState) pair.view()).kv();
      final Set<Integer> own = new HashSet<>();
      for (int i = 0; i < kv.blockCount(0); i++) {
        if (!own.add(kv.blockId(0, i)) || kv.blockId(0, i) < 1) {
          throw broken("a block twice in one table: id=" + pair.view().id());
        }
      }
      held.addAll(own);
    }
    if (model.state.connector != null) {
      model.state.connector.kept().forEach(request -> held.addAll(request.blocks));
      same(
          KvExchanges.of(real.scheduler()).reservedBlocks(),
          model.state.connector.reserved(),
          "blocks that prefills need");
      same(
          KvExchanges.of(real.scheduler()).kept(),
          model.state.connector.kept().stream().map(ModelRequest::id).sorted().toList(),
          "kept");
    }
    final Set<Integer> seen = new HashSet<>(held);
    for (int block : free) {
      if (!seen.add(block)) {
        throw broken("no block is free twice, or free and held: block=" + block);
      }
    }
    if (free.length + held.size() + quarantined != model.state.shape.usableBlocks()) {
      throw broken("free + held + quarantined = usable: held=" + held);
    }
  }

  private static List<String> ids(List<ModelRequest> requests) {
    return requests.stream().map(ModelRequest::id).toList();
  }
}
