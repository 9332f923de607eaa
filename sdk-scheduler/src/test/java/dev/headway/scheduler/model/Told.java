package dev.headway.scheduler.model;

import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.UnblockedEvent;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.schedule.WaitReason;
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
  record End(FinishReason reason, long stopTokenId) {}

  /** What the probe is told beside a plan. */
  record Gauges(int running, int waiting, int preemptedWaiting, int freeBlocks) {}

  private record Shared(WaitReason reason, String blocker) {}

  /** Reason and blocker of those that have their own. */
  final Map<String, String> own = new HashMap<>();

  final Map<String, List<End>> ends = new HashMap<>();
  final Set<WaitReason> everTold = EnumSet.noneOf(WaitReason.class);
  final Set<FinishReason> everEnded = EnumSet.noneOf(FinishReason.class);
  private final Supplier<String> where;
  Gauges gauges;
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
  public void onBlocked(BlockedEvent event) {
    super.onBlocked(event);
    final String told = event.reason() + " by " + name(event.blocker());
    if (told.equals(own.put(event.request().id(), told))) {
      throw new AssertionError("a reason is told when it changes: " + told + ", " + where.get());
    }
    everTold.add(event.reason());
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    super.onPreempted(event);
    own.remove(event.request().id()); // its wait begins, or begins anew
  }

  @Override
  public void onUnblocked(UnblockedEvent event) {
    super.onUnblocked(event);
    if (own.remove(event.request().id()) == null) {
      throw new AssertionError(
          "nothing to take back: " + event.request().id() + ", " + where.get());
    }
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    super.onAdmissionsClosed(event);
    final Shared told = new Shared(event.reason(), name(event.blocker()));
    if (told.equals(shared)) {
      throw new AssertionError("a reason is told when it changes: " + told + ", " + where.get());
    }
    shared = told;
    everTold.add(event.reason());
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    super.onAdmitted(event);
    own.remove(event.request().id());
  }

  @Override
  public void onPlanned(PlannedEvent event) {
    super.onPlanned(event);
    gauges =
        new Gauges(
            event.runningCount(),
            event.waitingCount(),
            event.preemptedWaitingCount(),
            event.freeBlocks());
  }

  @Override
  public void onFinished(FinishedEvent event) {
    super.onFinished(event);
    own.remove(event.request().id());
    ends.computeIfAbsent(event.request().id(), key -> new ArrayList<>())
        .add(new End(event.reason(), event.stopTokenId()));
    everEnded.add(event.reason());
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
