package dev.headway.events.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The cached blocks of preempted requests, by content hash, so that the removal of one is known to
 * be a loss of the request that computed it. Holds nothing while no request is preempted. Blocks
 * that a request found in the prefix cache are not its own. One thread.
 */
final class PreemptedBlocks {

  private final Map<Long, RequestTimeline> owners = new HashMap<>();
  private final List<RequestTimeline> losers = new ArrayList<>();

  /** A request was preempted: its blocks are cached, and free to be taken. */
  void preempted(RequestTimeline request) {
    for (int i = 0; i < request.storedBlocks(); i++) {
      owners.putIfAbsent(request.storedBlock(i), request);
    }
  }

  /** A preempted request was admitted again, or ended. */
  void left(RequestTimeline request) {
    for (int i = 0; i < request.storedBlocks() && !owners.isEmpty(); i++) {
      owners.remove(request.storedBlock(i), request);
    }
    losers.remove(request);
  }

  /** A block was taken for other content. */
  void removed(long contentHash) {
    final RequestTimeline owner = owners.isEmpty() ? null : owners.remove(contentHash);
    if (owner != null) {
      owner.losesBlock();
      if (!losers.contains(owner)) {
        losers.add(owner);
      }
    }
  }

  /** All blocks were removed. */
  void cleared() {
    owners.clear();
  }

  /** Returns the requests that lost blocks since the last call; usually none. */
  List<RequestTimeline> takeLosers() {
    if (losers.isEmpty()) {
      return List.of();
    }
    final List<RequestTimeline> taken = List.copyOf(losers);
    losers.clear();
    return taken;
  }
}
