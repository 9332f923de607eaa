package dev.headway.scheduler.core;

import dev.headway.api.kvcache.ExternalKv;
import dev.headway.api.step.EntryKind;
import dev.headway.scheduler.state.RemoteKv;
import dev.headway.scheduler.state.RequestState;

/**
 * The blocks that prefills in flight still need: those of requests that are loaded, and of admitted
 * ones in the middle of their prompt. A load that would leave fewer is not begun, since loads that
 * wait for each other's blocks would never run. Kept as a running count. Engine thread only.
 *
 * <p>Source: vLLM 0.28, {@code Scheduler._inflight_prefill_reserved_blocks}.
 */
final class PrefillReserve {

  private final ExternalKv kv;
  private final int maxModelLen;
  private int blocks;

  PrefillReserve(ExternalKv kv, int maxModelLen) {
    this.kv = kv;
    this.maxModelLen = maxModelLen;
  }

  /** Blocks that are needed. */
  int blocks() {
    return blocks;
  }

  /** A request is in flight from now on, if it was not. */
  void enter(RequestState request, RemoteKv remote) {
    remote.isPrefilling = true;
    final int missing = kv.missingBlocks(request.kv(), Math.min(request.knownTokens, maxModelLen));
    blocks += missing - remote.missingBlocks;
    remote.missingBlocks = missing;
  }

  /** A request was put into a plan. */
  void planned(RequestState request, EntryKind kind) {
    final RemoteKv remote = request.remote;
    if (remote == null) {
      return;
    }
    if (!request.prefillChunk) {
      leave(request);
    } else if (remote.isPrefilling || kind != EntryKind.RUNNING) {
      enter(request, remote);
    }
  }

  /** A request is not in flight any more, if it was. */
  void leave(RequestState request) {
    final RemoteKv remote = request.remote;
    if (remote != null && remote.isPrefilling) {
      remote.isPrefilling = false;
      blocks -= remote.missingBlocks;
      remote.missingBlocks = 0;
    }
  }
}
