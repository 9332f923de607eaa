package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.KvLoadFailurePolicy;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.step.TransferReport;
import dev.headway.scheduler.state.RemoteKv;
import dev.headway.scheduler.state.RequestState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * Everything that has read a block which was never loaded is wrong: tokens computed behind it, in this
 * step and in later ones that are out, what others have found of them, and results that come in for
 * requests that were preempted meanwhile. So all of them lose their results, and what lies behind their
 * last good block is not findable any more. A running request is preempted: it is first in line, finds
 * what is good of its prefix again and computes the rest; the connector is not asked again. One that is
 * being loaded goes on where its blocks are good.
 *
 * vLLM keeps the request running and its blocks findable, and lets others rest on the one that is to
 * compute them anew; see FailedLoadsLikeVllm.
 */

/** Failed loads, with nothing left of what rests on them. */
final class UndoneLoads implements FailedLoads {

  private final SchedulerState state;
  private final KvExchange exchange;
  private final Retirement retirement;
  private final Preemption preemption;
  private final StepsInFlight inFlight;
  private final boolean recomputes;
  private final int[] blockSizes;
  private final FailedDependents dependents = new FailedDependents();
  private final List<RequestState> affected = new ArrayList<>();

  UndoneLoads(
      SchedulerState state,
      KvExchange exchange,
      Retirement retirement,
      Preemption preemption,
      StepsInFlight inFlight) {
    this.state = state;
    this.exchange = exchange;
    this.retirement = retirement;
    this.preemption = preemption;
    this.inFlight = inFlight;
    recomputes = state.config.kvLoadFailurePolicy() == KvLoadFailurePolicy.RECOMPUTE;
    blockSizes = state.kv.shape().groups().stream().mapToInt(group -> group.blockSize()).toArray();
  }

  @Override
  public void found(@Nullable PlanBuffer plan, TransferReport report, long nowNs) {
    if (plan != null) { // nothing was found of what is loaded between steps
      collectDependents(plan, report);
      discardStale();
    }
    undoRunning(report, nowNs);
    undoLoading(report, nowNs);
    exchange.kept.forEach(request -> forgetBehind(request, goodTokens(request, report)));
    dependents.clear();
  }

  /**
   * Those that have found what this step was to load, or what was computed behind it: they need not
   * hold the very block, as a window leaves it out, and a prefix can be found in blocks of several.
   */
  private void collectDependents(PlanBuffer plan, TransferReport report) {
    for (int entry = 0; entry < plan.size(); entry++) {
      if (plan.externalTokens(entry) > 0) {
        final RequestState request = plan.state(entry);
        if (request.status != RequestStatus.RUNNING || isAffected(request, report)) {
          state.kv.stepFailed(plan.stepId(), request.kv(), dependents);
        }
      }
    }
  }

  private void undoRunning(TransferReport report, long nowNs) {
    for (int i = 0; i < state.running.size(); i++) {
      if (isAffected(state.running.get(i), report)) {
        affected.add(state.running.get(i));
      }
    }
    for (int i = affected.size() - 1; i >= 0; i--) { // the first of them becomes the first in line
      final RequestState request = affected.get(i);
      if (request.status == RequestStatus.RUNNING) { // no listener has ended it
        state.running.remove(request);
        undo(request, goodTokens(request, report), nowNs);
      }
    }
    affected.clear();
  }

  private void undo(RequestState request, int good, long nowNs) {
    state.counts.failedLoads++;
    KvExchange.of(request).asksNoMore = true;
    if (recomputes) {
      preemption.preempt(request, good, PreemptionCause.KV_LOAD_FAILED);
    } else {
      retirement.retire(request, good, FinishReason.KV_LOAD_FAILED, ABSENT, null, nowNs);
    }
  }

  private void undoLoading(TransferReport report, long nowNs) {
    exchange.loads.forEach(
        request -> {
          if (isAffected(request, report)) {
            affected.add(request);
          }
        });
    for (RequestState request : affected) {
      final RemoteKv remote = KvExchange.of(request);
      final int good = goodTokens(request, report);
      forgetBehind(request, good);
      remote.asksNoMore = true;
      state.counts.failedLoads++;
      if (!recomputes) {
        retirement.retire(request, good, FinishReason.KV_LOAD_FAILED, ABSENT, null, nowNs);
      } else if (remote.load != RemoteKv.Load.NONE) {
        remote.loadFailed = true;
        request.computedTokens = state.limits.keepsWholeContext ? good : 0;
      } else { // it was reached, and refused
        exchange.loads.giveBack(request, PreemptionCause.KV_LOAD_FAILED, null, preemption);
      }
    }
    affected.clear();
  }

  private boolean isAffected(RequestState request, TransferReport report) {
    return dependents.contains(request.kv())
        || goodTokens(request, report) < request.computedTokens;
  }

  private void forgetBehind(RequestState request, int good) {
    if (good < request.computedTokens) {
      exchange.kv().forget(request.kv(), good);
    }
  }

  /**
   * Leading tokens whose blocks are there; 0 if others' blocks may be missing that it looked at.
   */
  private int goodTokens(RequestState request, TransferReport report) {
    final KvSequence blocks = request.kv();
    int good = request.computedTokens;
    for (int group = 0; group < blocks.groupCount(); group++) {
      for (int i = 0; i < blocks.blockCount(group) && i * blockSizes[group] < good; i++) {
        final int block = blocks.blockId(group, i);
        if (block != KvCacheShape.NULL_BLOCK && report.isInvalid(block)) {
          good = i * blockSizes[group];
        }
      }
    }
    final boolean isUnexplained = good == request.computedTokens;
    return isUnexplained && dependents.contains(blocks) ? 0 : good;
  }

  /** Results of requests preempted meanwhile: what they had read is not known any more. */
  private void discardStale() {
    for (int i = 0; i < inFlight.count(); i++) {
      final PlanBuffer plan = inFlight.get(i);
      for (int entry = 0; entry < plan.size(); entry++) {
        final RequestState request = plan.state(entry);
        request.voidTokens = request.staleTokens;
      }
    }
  }
}
