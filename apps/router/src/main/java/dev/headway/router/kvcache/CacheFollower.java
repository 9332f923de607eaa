package dev.headway.router.kvcache;

import dev.headway.router.registry.KvEventSource;
import dev.headway.routing.kvevents.KvEventIndex;
import dev.headway.routing.kvevents.KvEventSubscriber;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Follows the KV events of workers, each on a thread of its own, and keeps an index of what they
 * have. One thread changes which it follows; any thread asks.
 */
public final class CacheFollower implements AutoCloseable {

  private record Followed(KvEventSource source, KvEventSubscriber subscriber) {}

  private final KvEventIndex index;
  private final Map<String, Followed> followed = new ConcurrentHashMap<>();

  /** Follows no worker yet. */
  public CacheFollower(KvEventIndex index) {
    this.index = index;
  }

  /** Follows a worker, from now on at this address; does nothing if it does already. */
  public void follow(String workerId, KvEventSource source) {
    final Followed before = followed.get(workerId);
    if (before != null && before.source.equals(source)) {
      return;
    }
    forget(workerId);
    final KvEventSubscriber subscriber =
        KvEventSubscriber.open(
            source.endpoint(), source.replayEndpoint(), source.topic(), index.worker(workerId));
    followed.put(workerId, new Followed(source, subscriber));
  }

  /** Forgets the workers that are not among these. */
  public void retain(Set<String> workerIds) {
    for (String each : Set.copyOf(followed.keySet())) {
      if (!workerIds.contains(each)) {
        forget(each);
      }
    }
  }

  private void forget(String workerId) {
    final Followed before = followed.remove(workerId);
    if (before != null) {
      before.subscriber.close(); // first: it feeds the index
      index.removeWorker(workerId);
    }
  }

  /** Blocks that a worker has; 0 if it is not followed. */
  public int blocks(String workerId) {
    return index.blocks(workerId);
  }

  /** Whether there is a connection to the events of a worker. */
  public boolean isConnected(String workerId) {
    final Followed each = followed.get(workerId);
    return each != null && each.subscriber.isConnected();
  }

  /** Whether a worker is followed to where there is no connection to its events. */
  public boolean isLost(String workerId) {
    final Followed each = followed.get(workerId);
    return each != null && !each.subscriber.isConnected();
  }

  @Override
  public void close() {
    retain(Set.of());
  }
}
