package dev.headway.scheduler.core;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.kvcache.ExternalKv;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.connector.BlockRelease;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.request.FinishReason;
import dev.headway.api.step.TransferReport;
import dev.headway.scheduler.state.RemoteKv;
import dev.headway.scheduler.state.RequestState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The scheduler's dealings with a KV connector: what it asks and tells it, loads between steps,
 * blocks kept for transfers, failed loads. Only there with a connector. Engine thread only.
 *
 * <p>Source: vLLM 0.28, {@code Scheduler} with {@code KVConnectorBase_V1}.
 */
final class KvExchange {

  private final SchedulerState state;
  private final ExternalKv kv;
  private final KvConnector connector;

  /** Calls of the connector. */
  final ConnectorDesk desk;

  /** Loads between steps. */
  final RemoteLoads loads;

  /** Blocks that loads must leave. */
  final PrefillReserve prefills;

  /** Blocks of requests that have ended. */
  final KeptBlocks kept;

  private KvExchange(SchedulerState state, KvConnector connector, ExternalKv kv) {
    this.state = state;
    this.kv = kv;
    this.connector = connector;
    desk = new ConnectorDesk(state, connector);
    prefills = new PrefillReserve(kv, state.limits.maxModelLen);
    loads = new RemoteLoads(state, prefills);
    kept = new KeptBlocks(state);
  }

  /**
   * Begins to follow a connector.
   *
   * @throws IllegalArgumentException if the cache or the configuration do not go together with it
   */
  static KvExchange of(SchedulerState state, KvConnector connector) {
    final ExternalKv kv = state.kv.external();
    if (kv == null) {
      throw new IllegalArgumentException(
          "a KV connector needs a KV cache that holds external tokens: kvCache="
              + state.kv.getClass().getName()
              + "; override external()");
    }
    requireFit(state, connector);
    return new KvExchange(state, connector, kv);
  }

  /** What leaves for the host tier is saved by the next step, and a load may come before that. */
  private static void requireFit(SchedulerState state, KvConnector connector) {
    final int hostBlocks = state.config.kvOffload().hostBlocks();
    if (hostBlocks > 0 && connector.role().loads()) {
      throw new IllegalArgumentException(
          "a KV connector that loads needs a KV cache without a host tier: hostBlocks="
              + hostBlocks
              + ", role="
              + connector.role());
    }
    if (state.kv.shape().groups().stream().anyMatch(KvGroup.Mamba.class::isInstance)) {
      throw new IllegalArgumentException(
          "a KV connector needs groups of attention, whose KV is kept token by token: groups="
              + state.kv.shape().groups());
    }
  }

  /**
   * Whether blocks are not used again as soon as a later step is planned, but once the steps that
   * write them are answered: a load is no step, and not ordered behind them.
   */
  boolean defersFrees() {
    return connector.role().loads() && state.config.pipeline().maxStepsInFlight() > 1;
  }

  /** Whether results that are out when a request is preempted are dropped: their KV is not sent. */
  boolean dropsResults() {
    return connector.role().sends();
  }

  /** The cache. */
  ExternalKv kv() {
    return kv;
  }

  /** What the connector has to do with a request. */
  static RemoteKv of(RequestState request) {
    RemoteKv remote = request.remote;
    if (remote == null) {
      remote = new RemoteKv();
      request.remote = remote;
    }
    return remote;
  }

  /**
   * Asks for tokens behind the local ones of a request that has computed none.
   *
   * @return null if that has failed
   */
  ExternalTokens.@Nullable Kind lookUp(RequestState head, int localTokens) {
    final RemoteKv remote = of(head);
    final ExternalTokens.Kind kind = desk.lookUp(head, remote, localTokens);
    if (kind != null && head.preemptions == 0) {
      remote.cachedTokens = remote.tokens;
      head.cachedTokens = localTokens + remote.tokens;
    }
    return kind;
  }

  /** Tokens from outside that the head of the queue is about to be admitted with. */
  static int externalTokens(RequestState head) {
    return head.remote == null || head.computedTokens > 0 ? 0 : head.remote.tokens;
  }

  /**
   * A request has ended: frees its blocks, unless a transfer reads or writes them.
   *
   * @param computedTokens leading tokens that are sure to be computed
   * @return blocks released
   */
  int ended(RequestState request, int computedTokens, FinishReason reason) {
    final RemoteKv remote = of(request);
    loads.forget(request);
    kv.leaveWindows(request.kv(), request.computedTokens);
    final BlockRelease answer = desk.finished(request, reason);
    final boolean isOut = remote.load == RemoteKv.Load.OUT;
    if (!isOut) {
      remote.load = RemoteKv.Load.NONE;
    }
    if (isOut ? !desk.cancelsLoad(request) : answer == BlockRelease.WHEN_SENT) {
      kv.forget(request.kv(), computedTokens); // not findable until then
      kept.keep(request);
      return 0;
    }
    final int freed = state.kv.release(request.kv(), computedTokens, state.fenceOf(request));
    state.kv.close(request.kv());
    return freed;
  }

  /** Transfers have ended: loads first, so that a failed one is free at once. */
  void transfersEnded(TransferReport report, long nowNs) {
    for (int i = 0; i < report.receivedCount(); i++) {
      final long number = report.receivedAt(i);
      if (!loads.received(number, nowNs) && !isFreed(number, RemoteKv.Load.OUT)) {
        state.counts.strayTransfers++;
      }
    }
    for (int i = 0; i < report.sentCount(); i++) {
      if (!isFreed(report.sentAt(i), RemoteKv.Load.NONE)) {
        state.counts.strayTransfers++;
      }
    }
  }

  private boolean isFreed(long number, RemoteKv.Load awaited) {
    final RequestState request = kept.find(number);
    if (request == null || of(request).load != awaited) {
      return false;
    }
    kept.free(request);
    return true;
  }

  /**
   * An entry has failed. If its request has ended and its blocks are kept, nothing is found in them
   * that is not sure.
   */
  void entryFailed(RequestState request, int sureTokens) {
    if (kept.find(request.number()) == request) {
      kv.forget(request.kv(), sureTokens);
    }
  }

  /** What was to be computed is not: those that are loaded behind it end, others find nothing. */
  void failDependents(
      FailedDependents dependents, Retirement retirement, Throwable cause, long nowNs) {
    final List<RequestState> failed = new ArrayList<>();
    loads.forEach(
        request -> {
          if (dependents.contains(request.kv())) {
            failed.add(request);
          }
        });
    for (RequestState request : failed) {
      retirement.retire(request, 0, FinishReason.EXECUTOR_FAILED, ABSENT, cause, nowNs);
    }
    kept.forEach(
        request -> {
          if (dependents.contains(request.kv())) {
            kv.forget(request.kv(), 0);
          }
        });
  }

  /** Whether a request that waits has blocks that something is loaded into, or was. */
  static boolean isLoading(RequestState request) {
    return request.remote != null && request.remote.load != RemoteKv.Load.NONE;
  }

  /** Whether requests that do not run hold blocks. */
  boolean holdsBlocks() {
    return loads.holdBlocks() || !kept.isEmpty();
  }
}
