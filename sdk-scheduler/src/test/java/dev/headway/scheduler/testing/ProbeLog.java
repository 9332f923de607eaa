package dev.headway.scheduler.testing;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.CacheResetEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.FirstTokenEvent;
import dev.headway.api.probe.LimitsChangedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.UnblockedEvent;
import dev.headway.api.request.RequestView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Keeps events as lines that can be read: {@code 3: blocked b MEMORY_INSUFFICIENT by - needed=2
 * free=1}. The number is the step.
 */
public class ProbeLog implements Probe {

  private final List<String> lines = new ArrayList<>();

  /** Everything heard so far. */
  public List<String> lines() {
    return lines;
  }

  /** The lines of these kinds, as {@code "blocked", "closed"}. */
  public List<String> of(String... kinds) {
    return lines.stream()
        .filter(
            line -> Stream.of(kinds).anyMatch(kind -> line.matches("(\\d+: )?" + kind + "\\b.*")))
        .toList();
  }

  /** What was said about waiting. */
  public List<String> waits() {
    return of("blocked", "unblocked", "closed");
  }

  /** Forgets what was heard. */
  public void clear() {
    lines.clear();
  }

  private void add(String format, Object... values) {
    lines.add(String.format(Locale.ROOT, format, values));
  }

  private static String name(RequestView request) {
    return request == null ? "-" : request.id();
  }

  @Override
  public void onQueued(QueuedEvent event) {
    add("queued %s", name(event.request()));
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    add(
        "%d: admitted %s %s cached=%d lost=%d",
        event.stepId(),
        name(event.request()),
        event.kind(),
        event.cachedTokens(),
        event.evictedTokens());
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    add(
        "%d: blocked %s %s by %s needed=%d free=%d",
        event.stepId(),
        name(event.request()),
        event.reason(),
        name(event.blocker()),
        event.needed(),
        event.free());
  }

  @Override
  public void onUnblocked(UnblockedEvent event) {
    add("%d: unblocked %s", event.stepId(), name(event.request()));
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    add("%d: closed %s by %s", event.stepId(), event.reason(), name(event.blocker()));
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    add(
        "%d: preempted %s %s for %s lost=%d freed=%d missing=%d",
        event.stepId(),
        name(event.request()),
        event.cause(),
        name(event.beneficiary()),
        event.lostTokens(),
        event.freedBlocks(),
        event.missingBlocks());
  }

  @Override
  public void onCacheReset(CacheResetEvent event) {
    add("reset %s", event.scope());
  }

  @Override
  public void onLimitsChanged(LimitsChangedEvent event) {
    add("limits %s to %s", event.oldLimits(), event.newLimits());
  }

  @Override
  public void onPlanned(PlannedEvent event) {
    final StringBuilder entries = new StringBuilder();
    for (int i = 0; i < event.plan().size(); i++) {
      entries
          .append(' ')
          .append(event.plan().request(i).id())
          .append('=')
          .append(event.plan().scheduledTokens(i));
    }
    add("%d: planned%s", event.plan().stepId(), entries);
  }

  @Override
  public void onFirstToken(FirstTokenEvent event) {
    add("%d: first %s", event.stepId(), name(event.request()));
  }

  @Override
  public void onFinished(FinishedEvent event) {
    add(
        "%d: finished %s %s token=%s freed=%d",
        event.stepId(),
        name(event.request()),
        event.reason(),
        event.stopTokenId() == ABSENT ? "absent" : event.stopTokenId(),
        event.freedBlocks());
  }

  @Override
  public void onKvStored(KvBlocksStored blocks) {
    add(
        "stored %s %d+%d %x",
        name(blocks.request()), blocks.firstToken(), blocks.count(), blocks.contentHash(0));
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    add("removed %x", event.contentHash());
  }

  @Override
  public void onKvCleared(KvCacheCleared event) {
    add("cleared");
  }
}
