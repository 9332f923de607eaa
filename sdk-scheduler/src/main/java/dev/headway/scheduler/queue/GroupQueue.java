package dev.headway.scheduler.queue;

import dev.headway.api.policy.StepView;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.SchedulerEvents;
import dev.headway.scheduler.policy.guard.GuardedPolicies;
import dev.headway.scheduler.state.RequestState;
import dev.headway.scheduler.support.LongLongMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Groups of requests, the one with the smallest score first, equal scores by the arrival of their
 * first request; within a group by arrival. A request that is passed over keeps its place.
 *
 * <p>Scores rise while groups wait. The heap keeps the score that each group had when it was last
 * looked at, which is at most the present one: a group whose turn it is by its old score is scored
 * again, and sinks to its place. So a step asks for the scores of those groups only whose turn it
 * may be. Allocates only to grow.
 */
public final class GroupQueue implements AdmissionOrder {

  private static final Comparator<RequestState> BY_ARRIVAL =
      Comparator.comparingLong(RequestState::number);
  private static final long NONE = -1;

  private final GuardedPolicies policies;
  private final StepView step;
  private final SchedulerEvents events;
  private final boolean reportsScores;
  private final LongLongMap indexes = new LongLongMap();
  private final List<Group> groups = new ArrayList<>();
  private final ArrayDeque<Group> unused = new ArrayDeque<>();
  private final GroupHeap heap = new GroupHeap();
  private final PassedOver aside = new PassedOver(this::backInLine);
  private int size;

  /** Requests given back in this step. */
  private int givenBack;

  /** Number of the present look for the first group. */
  private long look;

  private long reported = NONE;

  /** Whether the policy was still asked in the step before. */
  private boolean scored = true;

  /**
   * Makes an empty queue.
   *
   * @param policies gives groups and scores
   * @param step the step under way
   * @param events reports scores to probes that ask for them
   */
  public GroupQueue(GuardedPolicies policies, StepView step, SchedulerEvents events) {
    this.policies = policies;
    this.step = step;
    this.events = events;
    reportsScores = events.areWanted(ProbeInterest.SCORES);
  }

  @Override
  public void add(RequestState request) {
    request.orderGroup = policies.group(request);
    final Group group = open(request.orderGroup);
    group.members++;
    size++;
    line(group, request);
  }

  @Override
  public void addPreempted(RequestState request) {
    add(request);
  }

  @Override
  public void remove(RequestState request) {
    final Group group = groupOf(request);
    if (request.heapIndex != RequestState.NOWHERE) {
      unline(group, request);
    } else {
      aside.remove(request);
    }
    size--;
    group.members--;
    if (group.members == 0) {
      close(group);
    }
  }

  @Override
  public void begin() {
    givenBack = 0;
    if (scored && !policies.scoresGroups()) {
      scored = false;
      heap.level(); // the policy is not asked any more: from now on by arrival
    }
  }

  @Override
  public @Nullable RequestState peek() {
    final Group first = firstGroup();
    if (first == null) {
      return null;
    }
    final RequestState head = first.first();
    if (reportsScores && scored && reported != head.number()) {
      reported = head.number();
      events.scored(step.stepId(), head, first.score);
    }
    return head;
  }

  /** The group whose turn it is by its present score; each group is scored at most once. */
  private @Nullable Group firstGroup() {
    look++;
    Group first = heap.first();
    while (first != null && first.scoredIn != look) {
      first.scoredIn = look;
      final double score = policies.score(first.id, first.score);
      if (score == first.score) {
        break;
      }
      first.score = score;
      heap.moved(first);
      first = heap.first();
    }
    return first;
  }

  @Override
  public void passOver(RequestState request) {
    unline(groupOf(request), request);
    aside.add(request);
  }

  @Override
  public void end() {
    aside.putBack();
    reported = NONE;
  }

  private void backInLine(RequestState request) {
    line(groupOf(request), request);
  }

  @Override
  public void setAside(RequestState request) {
    remove(request);
  }

  @Override
  public void giveBack(RequestState request) {
    givenBack++;
    add(request);
  }

  /** Its turn is its group's, which is known once it is given back: a bounded number per step. */
  @Override
  public boolean isDue(RequestState setAside) {
    return givenBack < AdmissionQueue.ASKED_AGAIN + AdmissionQueue.GIVEN_BACK;
  }

  @Override
  public Comparator<RequestState> order() {
    return BY_ARRIVAL;
  }

  @Override
  public int neverPassedOver() {
    return size;
  }

  /** Visits by arrival: where a group's turn is depends on what is admitted before. */
  @Override
  public void forEachInOrder(Consumer<RequestState> visitor) {
    final List<RequestState> all = new ArrayList<>(size);
    for (Group group : groups) {
      group.requests.forEachInOrder(all::add);
    }
    aside.forEach(all::add);
    all.sort(BY_ARRIVAL);
    all.forEach(visitor);
  }

  @Override
  public void forEachPassedOver(Consumer<RequestState> visitor) {}

  private void line(Group group, RequestState request) {
    group.requests.add(request);
    if (group.requests.size() == 1) {
      group.score = policies.score(group.id, group.score);
      heap.add(group);
    } else if (group.first() == request) {
      heap.moved(group);
    }
  }

  private void unline(Group group, RequestState request) {
    final boolean wasFirst = group.first() == request;
    group.requests.remove(request);
    if (group.requests.size() == 0) {
      heap.remove(group);
    } else if (wasFirst) {
      heap.moved(group);
    }
  }

  private Group open(long id) {
    final long known = indexes.get(id, NONE);
    if (known != NONE) {
      return groups.get((int) known);
    }
    final Group group = unused.isEmpty() ? new Group() : unused.pop();
    group.id = id;
    group.score = 0;
    group.index = groups.size();
    groups.add(group);
    indexes.put(id, group.index);
    return group;
  }

  private Group groupOf(RequestState request) {
    return groups.get((int) indexes.get(request.orderGroup, NONE));
  }

  private void close(Group group) {
    indexes.remove(group.id);
    final Group last = groups.removeLast();
    if (last != group) {
      groups.set(group.index, last);
      last.index = group.index;
      indexes.put(last.id, last.index);
    }
    unused.push(group);
  }

  /** The waiting requests of a group. */
  static final class Group {

    /** As the policy numbers it. */
    long id;

    /** Its place among all groups. */
    int index;

    /** Its requests here, those passed over in this step too. */
    int members;

    /** Its score when it was last looked at. */
    double score;

    /** The look in which it was last scored. */
    long scoredIn;

    /** Its place among the groups whose turn can come. */
    int heapIndex = RequestState.NOWHERE;

    final RequestHeap requests = new RequestHeap(BY_ARRIVAL, 4);

    RequestState first() {
      final RequestState first = requests.peek();
      if (first == null) {
        throw new IllegalStateException("a group in the heap has no request: group=" + id);
      }
      return first;
    }

    boolean isBefore(Group other) {
      return score < other.score
          || (score == other.score && first().number() < other.first().number());
    }
  }
}
