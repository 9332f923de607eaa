package dev.headway.scheduler.model;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.scheduler.testing.ProbeLog;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Follows what the probe is told of reasons and ends; complains of what must not be told. */
final class Told extends ProbeLog {

  /** A request's end. */
  record End(FinishReason reason, int stopToken) {}

  private record Shared(WaitReason reason, String blocker) {}

  /** Reason and blocker of those that have their own. */
  final Map<String, String> own = new HashMap<>();

  final Map<String, List<End>> ends = new HashMap<>();
  final Set<WaitReason> everTold = EnumSet.noneOf(WaitReason.class);
  final Set<FinishReason> everEnded = EnumSet.noneOf(FinishReason.class);
  private final Supplier<String> where;
  private Shared shared = new Shared(null, "-");
  private int hash = 1;

  Told(Supplier<String> where) {
    this.where = where;
  }

  /** Reason and blocker that the others share, or null. */
  String shared() {
    return shared.reason() == null ? null : shared.reason() + " by " + shared.blocker();
  }

  @Override
  public void onBlocked(
      long stepId,
      RequestView request,
      WaitReason reason,
      RequestView blocker,
      int needed,
      int free) {
    super.onBlocked(stepId, request, reason, blocker, needed, free);
    final String told = reason + " by " + name(blocker);
    if (told.equals(own.put(request.id(), told))) {
      throw new AssertionError("a reason is told when it changes: " + told + ", " + where.get());
    }
    everTold.add(reason);
  }

  @Override
  public void onUnblocked(long stepId, RequestView request) {
    super.onUnblocked(stepId, request);
    if (own.remove(request.id()) == null) {
      throw new AssertionError("nothing to take back: " + request.id() + ", " + where.get());
    }
  }

  @Override
  public void onAdmissionsClosed(long stepId, WaitReason reason, RequestView blocker) {
    super.onAdmissionsClosed(stepId, reason, blocker);
    final Shared told = new Shared(reason, name(blocker));
    if (told.equals(shared)) {
      throw new AssertionError("a reason is told when it changes: " + told + ", " + where.get());
    }
    shared = told;
    everTold.add(reason);
  }

  @Override
  public void onAdmitted(
      long stepId, RequestView request, EntryKind kind, int cachedTokens, int lostTokens) {
    super.onAdmitted(stepId, request, kind, cachedTokens, lostTokens);
    own.remove(request.id());
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
    super.onFinished(stepId, request, reason, stopTokenId, cause, freedBlocks, nowNs);
    own.remove(request.id());
    ends.computeIfAbsent(request.id(), key -> new ArrayList<>()).add(new End(reason, stopTokenId));
    everEnded.add(reason);
  }

  /** Folds the lines into the hash of the run and drops them. */
  void fold() {
    hash = 31 * hash + lines().hashCode();
    lines().clear();
  }

  /** Differs when anything told differs. */
  int hash() {
    return hash;
  }

  static String name(RequestView request) {
    return request == null ? "-" : request.id();
  }
}
