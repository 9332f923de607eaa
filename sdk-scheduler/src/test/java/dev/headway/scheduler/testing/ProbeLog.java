package dev.headway.scheduler.testing;

import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
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
  public void onQueued(RequestView request) {
    add("queued %s", name(request));
  }

  @Override
  public void onAdmitted(
      long stepId, RequestView request, EntryKind kind, int cachedTokens, int lostTokens) {
    add(
        "%d: admitted %s %s cached=%d lost=%d",
        stepId, name(request), kind, cachedTokens, lostTokens);
  }

  @Override
  public void onBlocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      RequestView blocker,
      int needed,
      int free) {
    add(
        "%d: blocked %s %s by %s needed=%d free=%d",
        stepId, name(request), reason, name(blocker), needed, free);
  }

  @Override
  public void onUnblocked(long stepId, RequestView request) {
    add("%d: unblocked %s", stepId, name(request));
  }

  @Override
  public void onAdmissionsClosed(long stepId, WaitReason reason, RequestView blocker) {
    add("%d: closed %s by %s", stepId, reason, name(blocker));
  }

  @Override
  public void onPreempted(
      long stepId,
      RequestView victim,
      PreemptionCause cause,
      RequestView beneficiary,
      int lostTokens,
      int freedBlocks) {
    add(
        "%d: preempted %s %s for %s lost=%d freed=%d",
        stepId, name(victim), cause, name(beneficiary), lostTokens, freedBlocks);
  }

  @Override
  public void onCacheReset(ResetScope scope, long nowNs) {
    add("reset %s", scope);
  }

  @Override
  public void onPlanned(StepPlan plan) {
    final StringBuilder entries = new StringBuilder();
    for (int i = 0; i < plan.size(); i++) {
      entries.append(' ').append(plan.request(i).id()).append('=').append(plan.scheduledTokens(i));
    }
    add("%d: planned%s", plan.stepId(), entries);
  }

  @Override
  public void onFirstToken(long stepId, RequestView request, long nowNs) {
    add("%d: first %s", stepId, name(request));
  }

  @Override
  public void onFinished(
      long stepId,
      RequestView request,
      FinishReason reason,
      int stopTokenId,
      Throwable cause,
      int freedBlocks,
      long nowNs) {
    add(
        "%d: finished %s %s token=%d freed=%d",
        stepId, name(request), reason, stopTokenId, freedBlocks);
  }

  @Override
  public void onKvStored(RequestView request, KvBlocksStored blocks) {
    add(
        "stored %s %d+%d %x",
        name(request), blocks.firstToken(), blocks.count(), blocks.contentHash(0));
  }

  @Override
  public void onKvRemoved(long contentHash, int group) {
    add("removed %x", contentHash);
  }

  @Override
  public void onKvCleared() {
    add("cleared");
  }
}
