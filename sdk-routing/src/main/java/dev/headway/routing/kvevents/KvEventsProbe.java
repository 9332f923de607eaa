package dev.headway.routing.kvevents;

import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.RunInfo;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.request.KvReport;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.RequestView;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Publishes what the prefix cache of one engine holds: a batch for each step that changed it.
 *
 * <p>The engine's thread copies the tokens of new blocks and puts them into a queue, nothing else;
 * see {@link KvEventPublisher}. If the queue is full a batch is lost, and the next one begins with
 * {@code AllBlocksCleared}: subscribers then know less than is there, never more. Only groups with
 * attention to the whole context are published; no router can use the others. Nor are blocks from a
 * request's first item on, since no {@link BlockNames} can name them.
 */
public final class KvEventsProbe implements Probe {

  private final KvEventPublisher publisher;
  private final CacheChanges changes;
  private List<CacheChange> pending = new ArrayList<>();
  private List<KvGroup> groups = List.of();
  private boolean lost;
  private long unixOffsetNs;
  private long nowNs;

  private KvEventsProbe(KvEventPublisher publisher, @Nullable BlockNames names) {
    this.publisher = publisher;
    changes = new CacheChanges(names);
  }

  /**
   * Publishes with the engine's own names of blocks, which no other program can compute.
   *
   * @throws IllegalStateException if an endpoint cannot be had
   */
  public static KvEventsProbe open(KvEventsOptions options) {
    return new KvEventsProbe(KvEventPublisher.open(options), null);
  }

  /**
   * Publishes with names that others compute too.
   *
   * @throws IllegalStateException if an endpoint cannot be had
   */
  public static KvEventsProbe open(KvEventsOptions options, BlockNames names) {
    return new KvEventsProbe(KvEventPublisher.open(options), names);
  }

  /** What sends, for its endpoints and counts. */
  public KvEventPublisher publisher() {
    return publisher;
  }

  @Override
  public Set<ProbeInterest> interests() {
    return Set.of(ProbeInterest.KV_BLOCKS, ProbeInterest.STEPS);
  }

  @Override
  public void onRunStarted(RunInfo run) {
    groups = run.kvCache().groups();
    nowNs = run.anchor().monotonicNs();
    unixOffsetNs = run.anchor().unixEpochNs() - nowNs;
  }

  @Override
  public void onKvStored(KvBlocksStored event) {
    final int group = event.group();
    if (!isWholeContext(group, event.blockSize())
        || event.count() * event.blockSize() != event.tokenCount()) {
      return;
    }
    final int blocks = blocksBeforeItems(event);
    if (blocks == 0) {
      return;
    }
    final RequestView request = event.request();
    final int tokens = blocks * event.blockSize();
    final int[] copy = new int[tokens];
    request.copyTokenIds(event.firstToken(), copy, 0, tokens);
    final long[] hashes = new long[blocks];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = event.contentHash(i);
    }
    final LoraAdapter adapter = request.request().lora();
    pending.add(
        new CacheChange.Stored(
            hashes,
            !event.hasParent(),
            event.hasParent() ? event.parentContentHash() : 0,
            copy,
            event.blockSize(),
            group,
            adapter == null ? null : adapter.name(),
            adapter == null ? 0 : adapter.id(),
            request.request().cacheSalt(),
            request.request().kvReport() == KvReport.FULL));
  }

  private static int blocksBeforeItems(KvBlocksStored event) {
    final List<MultiModalItem> items = event.request().request().items();
    if (items.isEmpty()) {
      return event.count();
    }
    final int tokens = Math.max(0, items.getFirst().offset() - event.firstToken());
    return Math.min(event.count(), tokens / event.blockSize());
  }

  /** Parts of blocks have their own size, and names between those of blocks. */
  private boolean isWholeContext(int group, int blockSize) {
    return groups.get(group) instanceof KvGroup.FullAttention full && full.blockSize() == blockSize;
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    if (groups.get(event.group()) instanceof KvGroup.FullAttention) {
      pending.add(new CacheChange.Removed(event.contentHash(), event.group()));
    }
  }

  @Override
  public void onKvCleared(KvCacheCleared event) {
    pending.add(new CacheChange.Cleared());
  }

  @Override
  public void onPlanned(PlannedEvent event) {
    nowNs = event.endNs();
    publish();
  }

  @Override
  public void onStepCompleted(StepCompletedEvent event) {
    nowNs = event.endNs();
    publish();
  }

  @Override
  public void onIdle(long atNs) {
    nowNs = atNs;
    publish();
  }

  private void publish() {
    if (pending.isEmpty() && !lost) {
      return;
    }
    if (lost) {
      pending.add(0, new CacheChange.Cleared());
    }
    final List<CacheChange> batch = pending;
    pending = new ArrayList<>();
    lost = !publisher.offer((unixOffsetNs + nowNs) / 1e9, () -> changes.events(batch));
  }

  @Override
  public void close() {
    publish();
    publisher.close();
  }
}
