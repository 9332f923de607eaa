package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.KvLoadFailurePolicy;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.step.TransferReport;
import dev.headway.scheduler.state.RemoteKv;
import dev.headway.scheduler.state.RequestState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * As vLLM 0.28 has it, with what it leaves open: a request goes on where its blocks are good, keeps
 * them and what is findable of them, and rests on another to compute a block that they share. With
 * steps ahead of outputs its placeholders stay.
 *
 * <p>Source: {@code Scheduler._handle_invalid_blocks}.
 */
final class FailedLoadsLikeVllm implements FailedLoads {

  private final SchedulerState state;
  private final KvExchange exchange;
  private final Retirement retirement;
  private final boolean recomputes;
  private final int blockSize;
  private final Set<Integer> marked = new HashSet<>();
  private final List<RequestState> affected = new ArrayList<>();

  FailedLoadsLikeVllm(SchedulerState state, KvExchange exchange, Retirement retirement) {
    this.state = state;
    this.exchange = exchange;
    this.retirement = retirement;
    recomputes = state.config.kvLoadFailurePolicy() == KvLoadFailurePolicy.RECOMPUTE;
    blockSize = state.kv.shape().blockSize();
  }

  @Override
  public void found(@Nullable PlanBuffer plan, TransferReport report, long nowNs) {
    if (state.kv.shape().groups().size() > 1) {
      throw new IllegalArgumentException(
          "a failed load needs a cache with one group, as in vLLM: groups="
              + state.kv.shape().groups());
    }
    marked.clear();
    state.waiting.forEachPassedOver(request -> markLoading(request, report));
    marked.clear();
    for (int i = 0; i < state.running.size(); i++) {
      markRunning(state.running.get(i), plan, report);
    }
  }

  private void markLoading(RequestState request, TransferReport report) {
    final RemoteKv remote = request.remote;
    if (remote != null && remote.load != RemoteKv.Load.NONE) {
      if (mark(request, request.computedTokens, report)) {
        remote.loadFailed = true;
        if (!recomputes) {
          affected.add(request);
        }
      }
    }
  }

  private void markRunning(RequestState request, @Nullable PlanBuffer plan, TransferReport report) {
    final int entry = plan == null ? -1 : plan.findEntry(request);
    final int scheduled = entry < 0 || plan == null ? 0 : plan.scheduledTokens(entry);
    if (!mark(request, request.computedTokens - scheduled, report)) {
      return;
    }
    KvExchange.of(request).skipsResult = true;
    affected.add(request);
    if (!recomputes) {
      exchange.kv().forget(request.kv(), request.computedTokens);
    }
  }

  /** Whether blocks of the first {@code computed} tokens are not there; sets where they are. */
  private boolean mark(RequestState request, int computed, TransferReport report) {
    final KvSequence blocks = request.kv();
    final int count = Math.min((computed + blockSize - 1) / blockSize, blocks.blockCount(0));
    boolean isAffected = false;
    boolean isFirst = true;
    int good = computed;
    for (int i = 0; i < count; i++) {
      final int block = blocks.blockId(0, i);
      if (report.isInvalid(block)) {
        isAffected = true;
        if (marked.add(block) && isFirst) {
          isFirst = false;
          good = i * blockSize;
        }
      }
    }
    if (isAffected) {
      request.computedTokens = good;
    }
    return isAffected;
  }

  @Override
  public void stepAnswered(long nowNs) {
    for (RequestState request : affected) {
      KvExchange.of(request).skipsResult = false;
      if (!recomputes && request.status != RequestStatus.FINISHED) {
        state.counts.failedLoads++;
        state.running.remove(request);
        retirement.retire(request, FinishReason.KV_LOAD_FAILED, ABSENT, null, nowNs);
      }
    }
    affected.clear();
  }
}
