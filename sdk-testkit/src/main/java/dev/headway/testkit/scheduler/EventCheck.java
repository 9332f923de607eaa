package dev.headway.testkit.scheduler;

import static dev.headway.api.Absent.ABSENT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.probe.AdmissionsClosedEvent;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.BlockedEvent;
import dev.headway.api.probe.CacheResetEvent;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.FirstTokenEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.PreemptedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeEvent;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.api.probe.RequestEvent;
import dev.headway.api.probe.UnblockedEvent;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepPlan;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rebuilds from the events alone what every request is doing and what it has waited for, and
 * compares each plan with it.
 */
final class EventCheck implements Probe, KvCacheListener {

  private static final String NEVER_QUEUED = "a request must be queued before anything else: id=";

  /** What the events have said of a request. */
  private static final class Course {
    boolean running;
    boolean ended;
    int admissions;

    /** Where its admission goes on, until a plan has an entry of it; -1 afterwards. */
    int cachedTokens = -1;

    boolean hasFirstToken;

    /** Since when it waits for {@link #cause}; decisions take effect when the plan is complete. */
    long sinceNs;

    boolean waits;
    @Nullable WaitReason cause;
    @Nullable WaitReason own;
    final Map<WaitReason, Long> waitedNs = new EnumMap<>(WaitReason.class);

    void waitUntil(long nowNs) {
      if (waits && nowNs != sinceNs) {
        assertNotNull(cause, "a request that waits must have a reason when a plan is complete");
        waitedNs.merge(cause, nowNs - sinceNs, Long::sum);
      }
      sinceNs = nowNs;
    }
  }

  private final Map<String, Course> courses = new HashMap<>();
  private final Set<String> preempted = new HashSet<>();
  private final Set<String> endedWhilePreempted = new HashSet<>();
  private final boolean explainsWaits;
  private @Nullable WaitReason shared;
  private long resetNs;

  /** The steps planned so far. */
  final List<Long> planned = new ArrayList<>();

  /** The plan that was made last. */
  @Nullable StepPlan latestPlan;

  /** Ends by id. */
  final Map<String, Integer> finished = new HashMap<>();

  /** Preemptions so far. */
  int preemptions;

  /**
   * Checks the events of one scheduler.
   *
   * @param explainsWaits whether every wait must have a reason
   */
  EventCheck(boolean explainsWaits) {
    this.explainsWaits = explainsWaits;
  }

  private Course of(RequestEvent event) {
    return of(event.request().id());
  }

  private Course of(String id) {
    final Course course = courses.get(id);
    assertNotNull(course, () -> NEVER_QUEUED + id);
    assertFalse(course.ended, () -> "no event must follow the end of a request: id=" + id);
    return course;
  }

  @Override
  public void onQueued(QueuedEvent event) {
    final Course course = new Course();
    course.waits = true;
    course.cause = WaitReason.INITIAL_WAITING;
    course.sinceNs = event.atNs();
    assertEquals(event.request().queuedNs(), event.atNs(), "instant of queueing");
    assertEquals(
        null,
        courses.put(event.request().id(), course),
        () -> "a request must be queued once: id=" + event.request().id());
  }

  @Override
  public void onAdmitted(AdmittedEvent event) {
    final Course course = of(event);
    final String id = event.request().id();
    assertFalse(course.running, () -> "only a waiting request is admitted: id=" + id);
    assertEquals(
        course.admissions == 0 ? EntryKind.NEW : EntryKind.RESUMED,
        event.kind(),
        () -> "kind of the admission: id=" + id);
    course.admissions++;
    course.running = true;
    course.own = null;
    course.cachedTokens = event.cachedTokens();
  }

  @Override
  public void onPreempted(PreemptedEvent event) {
    final Course course = of(event);
    assertTrue(
        course.running, () -> "only a running request is preempted: id=" + event.request().id());
    course.running = false;
    course.cachedTokens = -1;
    course.own = WaitReason.PREEMPTED;
    if (resetNs > 0) {
      course.own = WaitReason.EVICTED;
      course.waits = true;
      course.cause = WaitReason.EVICTED;
      course.sinceNs = resetNs;
    }
    preempted.add(event.request().id());
    preemptions++;
  }

  @Override
  public void onCacheReset(CacheResetEvent event) {
    resetNs = event.atNs();
  }

  /** What comes now is no longer part of a cache reset. */
  void endReset() {
    resetNs = 0;
  }

  @Override
  public void onBlocked(BlockedEvent event) {
    final Course course = of(event);
    course.own = event.reason();
    changeAtOnce(course, event, event.reason());
  }

  /** What happens outside a step has an instant. */
  private static void changeAtOnce(Course course, ProbeEvent event, WaitReason reason) {
    if (event.atNs() != ABSENT) {
      course.waitUntil(event.atNs());
      course.cause = reason;
    }
  }

  @Override
  public void onUnblocked(UnblockedEvent event) {
    final Course course = of(event);
    course.own = null;
    changeAtOnce(course, event, WaitReason.INITIAL_WAITING);
  }

  @Override
  public void onAdmissionsClosed(AdmissionsClosedEvent event) {
    shared = event.reason();
  }

  @Override
  public void onPlanned(PlannedEvent event) {
    final StepPlan plan = event.plan();
    latestPlan = plan;
    planned.add(event.stepId());
    for (int entry = 0; entry < plan.size(); entry++) {
      final String at = "stepId=" + event.stepId() + ", id=" + plan.request(entry).id();
      final Course course = of(plan.request(entry).id());
      assertTrue(course.running, () -> "a planned request must have been admitted: " + at);
      checkKind(plan, entry, course, at);
    }
    for (int i = 0; i < plan.preempted().size(); i++) {
      final String id = plan.preempted().id(i);
      assertTrue(
          preempted.remove(id) || endedWhilePreempted.remove(id),
          () -> "a preempted request must be announced as such once: id=" + id);
    }
    endedWhilePreempted.clear();
    assertEquals(Set.of(), preempted, "requests preempted and not announced in the plan");
    assertEquals(countOf(true), event.runningCount(), "requests running, by the events");
    assertEquals(countOf(false), event.waitingCount(), "requests waiting, by the events");
    if (explainsWaits) {
      courses.values().forEach(course -> settle(course, event.endNs()));
    }
  }

  /** An admission is the first entry since; it goes on behind the prefix that was found. */
  private static void checkKind(StepPlan plan, int entry, Course course, String at) {
    final boolean admitted = plan.kind(entry) != EntryKind.RUNNING;
    assertEquals(
        course.cachedTokens >= 0, admitted, () -> "kind must distinguish admissions: " + at);
    if (admitted) {
      final EntryKind kind = course.admissions == 1 ? EntryKind.NEW : EntryKind.RESUMED;
      assertEquals(kind, plan.kind(entry), () -> "kind of the entry: " + at);
      assertEquals(
          course.cachedTokens,
          plan.computedTokens(entry),
          () -> "an admission goes on behind its cached tokens: " + at);
      course.cachedTokens = -1;
    }
  }

  private int countOf(boolean running) {
    int count = 0;
    for (Course course : courses.values()) {
      count += !course.ended && course.running == running ? 1 : 0;
    }
    return count;
  }

  private void settle(Course course, long nowNs) {
    course.waitUntil(nowNs);
    course.waits = !course.ended && !course.running;
    course.cause = course.own == null ? shared : course.own;
    if (course.waits) {
      assertNotNull(
          course.cause, "a request that waits must have a reason when a plan is complete");
    }
  }

  @Override
  public void onFirstToken(FirstTokenEvent event) {
    final Course course = of(event);
    assertFalse(course.hasFirstToken, () -> "a first token comes once: id=" + event.request().id());
    course.hasFirstToken = true;
  }

  @Override
  public void onFinished(FinishedEvent event) {
    final Course course = of(event);
    assertEquals(
        event.request().outputTokens() > 0,
        course.hasFirstToken,
        () -> "the first token must be reported: id=" + event.request().id());
    course.waitUntil(event.atNs());
    course.ended = true;
    if (preempted.remove(event.request().id())) {
      endedWhilePreempted.add(event.request().id());
    }
    finished.merge(event.request().id(), 1, Integer::sum);
  }

  /** The waits of a request that has ended or is about to, at {@code nowNs}. */
  Map<WaitReason, Long> waitsOf(String id, long nowNs) {
    final Course course = courses.get(id);
    assertNotNull(course, () -> NEVER_QUEUED + id);
    if (!course.ended) {
      course.waitUntil(nowNs);
    }
    return course.waitedNs;
  }
}
