package dev.headway.probes.csv.projection;

import dev.headway.events.record.QueuedRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/*
 * A treap: a search tree by the order of the queue, balanced by random numbers that are a function
 * of the request, with the size of each subtree. What a change of the queue does to all positions
 * behind it is noted once, at the root of their subtree, and pushed down when a node below is visited.
 *
 * A position is summed up over plans as  base + position * plans,  which stays true while time goes
 * on; a shift by d at a time when p plans were made takes  d * p  from the base. The largest
 * position is that at a plan and not between two, so a plan is an operation on the whole tree, too.
 */
/**
 * The waiting queue as the scheduler orders it, and the position of each request in it at each plan
 * ({@link QueueHistory}). Each change costs the logarithm of the queue's length; a plan costs the
 * same whatever waits. One thread.
 */
final class WaitingQueueOrder {

  /** Positions from the head whose history is exact. */
  static final int EXACT_POSITIONS = 64;

  /** Positions further back that are looked at after each plan, in turn. */
  static final int SAMPLED_POSITIONS = 8;

  private static final Comparator<Place> BY_PRIORITY =
      Comparator.comparingInt((Place place) -> place.queued().priority())
          .thenComparingLong(place -> place.queued().arrivalNs())
          .thenComparing(place -> place.queued().requestId())
          .thenComparingLong(place -> place.queued().requestNumber());

  private static final Comparator<Place> BY_TURN = Comparator.comparingLong(place -> place.turn);

  private final Comparator<Place> order;
  private final List<Place> newcomers = new ArrayList<>();
  private @Nullable Place root;
  private long plans;
  private long nextTurn;
  private long frontTurn;
  private int sampled = EXACT_POSITIONS;

  /** What a split has left. */
  private @Nullable Place low;

  private @Nullable Place high;

  private WaitingQueueOrder(Comparator<Place> order) {
    this.order = order;
  }

  /** Returns the order that a run's configuration names; first come, first served unless set. */
  static WaitingQueueOrder of(Map<String, String> config) {
    return new WaitingQueueOrder(
        "PRIORITY".equalsIgnoreCase(config.get("queuePolicy")) ? BY_PRIORITY : BY_TURN);
  }

  /** Is handed requests in the order of the queue. */
  interface Visit {
    void at(RequestCells request, int position);
  }

  /** A request's place in the queue, a node of the tree. */
  static final class Place {

    private static final int NO_PLAN = Integer.MIN_VALUE / 2;

    final RequestCells request;
    final long turn;
    final int weight;
    final long enteredAtPlans;
    @Nullable Place left;
    @Nullable Place right;
    int size = 1;

    int position;
    int largest = Integer.MIN_VALUE;
    long base;

    int shift;
    int largestShift = NO_PLAN;
    long baseShift;

    Place(RequestCells request, long turn, long plans) {
      this.request = request;
      this.turn = turn;
      this.enteredAtPlans = plans;
      this.weight = mix(request.number());
    }

    QueuedRecord queued() {
      return request.timeline().queued();
    }

    /** It has a position from now on. */
    void begin(int at, long plans) {
      position = at;
      base = -at * plans;
    }

    /** Shifts the positions of this subtree; with {@code atPlan} relative to now, or NO_PLAN. */
    void shift(int by, long baseBy, int atPlan) {
      largest = Math.max(largest, position + atPlan);
      position += by;
      base += baseBy;
      largestShift = Math.max(largestShift, shift + atPlan);
      shift += by;
      baseShift += baseBy;
    }

    void handOn() {
      if (left != null) {
        left.shift(shift, baseShift, largestShift);
      }
      if (right != null) {
        right.shift(shift, baseShift, largestShift);
      }
      shift = 0;
      baseShift = 0;
      largestShift = NO_PLAN;
    }

    void count() {
      size = 1 + sizeOf(left) + sizeOf(right);
    }

    private static int mix(long number) {
      final long mixed = (number + 1) * 0x9E3779B97F4A7C15L;
      return (int) (((mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L) >>> 32);
    }
  }

  /** A new request. */
  void queue(RequestCells request) {
    enter(new Place(request, nextTurn++, plans));
  }

  /** A preempted request: in front of all others if they come in turn. */
  void putBack(RequestCells request) {
    enter(new Place(request, --frontTurn, plans));
  }

  /** A request leaves; nothing happens if it is not in the queue. */
  void remove(RequestCells request) {
    final Place place = request.place();
    if (place == null) {
      return;
    }
    request.place(null);
    leave(place);
    request
        .queue()
        .waited(plans - place.enteredAtPlans, place.base + place.position * plans, place.largest);
  }

  /** A plan was made: its iteration finds each request at a position. */
  void planned(long iteration) {
    plans++;
    if (root != null) {
      root.shift(0, 0, 0);
    }
    for (Place place : newcomers) {
      if (place.request.place() == place) {
        place.request.queue().record(iteration, positionOf(place.request));
      }
    }
    newcomers.clear();
    visit(root, 0, EXACT_POSITIONS, (request, at) -> request.queue().record(iteration, at));
    sample(iteration);
  }

  /** Position of a request in the queue, from 0; it must be there. */
  int positionOf(RequestCells request) {
    final Place wanted = request.place();
    int before = 0;
    Place place = root;
    while (wanted != null && place != null && place != wanted) {
      if (order.compare(wanted, place) < 0) {
        place = place.left;
      } else {
        before += sizeOf(place.left) + 1;
        place = place.right;
      }
    }
    if (wanted == null || place == null) {
      throw new IllegalStateException("request must wait: " + request.timeline().id());
    }
    return before + sizeOf(place.left);
  }

  /** Hands every request to {@code visit} with its position, in the order of the queue. */
  void forEach(Visit visit) {
    visit(root, 0, Integer.MAX_VALUE, visit);
  }

  /** The order of the queue; of requests that are in it. */
  Comparator<RequestCells> order() {
    return Comparator.comparing(RequestCells::place, order);
  }

  private void sample(long iteration) {
    final int size = sizeOf(root);
    for (int i = 0; i < SAMPLED_POSITIONS && size > EXACT_POSITIONS; i++) {
      if (sampled >= size) {
        sampled = EXACT_POSITIONS;
      }
      at(sampled).queue().record(iteration, sampled);
      sampled++;
    }
  }

  private RequestCells at(int position) {
    Place place = root;
    int rest = position;
    while (place != null) {
      final int before = sizeOf(place.left);
      if (rest == before) {
        return place.request;
      }
      if (rest < before) {
        place = place.left;
      } else {
        rest -= before + 1;
        place = place.right;
      }
    }
    throw new IllegalStateException("position must be in the queue: " + position);
  }

  private void enter(Place place) {
    place.request.place(place);
    newcomers.add(place);
    split(root, place, false);
    place.begin(sizeOf(low), plans);
    if (high != null) {
      high.shift(1, -plans, Place.NO_PLAN);
    }
    root = merge(merge(low, place), high);
  }

  private void leave(Place place) {
    split(root, place, false);
    final Place ahead = low;
    split(high, place, true); // splits off the place itself
    if (high != null) {
      high.shift(-1, plans, Place.NO_PLAN);
    }
    root = merge(ahead, high);
  }

  /** Splits a tree into {@link #low}, what is in front of a place, and {@link #high}. */
  private void split(@Nullable Place tree, Place at, boolean inclusive) {
    if (tree == null) {
      low = null;
      high = null;
      return;
    }
    tree.handOn();
    final int compared = order.compare(tree, at);
    if (compared < 0 || (inclusive && compared == 0)) {
      split(tree.right, at, inclusive);
      tree.right = low;
      tree.count();
      low = tree;
    } else {
      split(tree.left, at, inclusive);
      tree.left = high;
      tree.count();
      high = tree;
    }
  }

  private static @Nullable Place merge(@Nullable Place ahead, @Nullable Place behind) {
    if (ahead == null) {
      return behind;
    }
    if (behind == null) {
      return ahead;
    }
    if (ahead.weight >= behind.weight) {
      ahead.handOn();
      ahead.right = merge(ahead.right, behind);
      ahead.count();
      return ahead;
    }
    behind.handOn();
    behind.left = merge(ahead, behind.left);
    behind.count();
    return behind;
  }

  /** Hands the requests of a tree at positions below {@code end} to {@code visit}. */
  private static void visit(@Nullable Place tree, int before, int end, Visit visit) {
    if (tree == null || before >= end) {
      return;
    }
    final int position = before + sizeOf(tree.left);
    visit(tree.left, before, end, visit);
    if (position < end) {
      visit.at(tree.request, position);
      visit(tree.right, position + 1, end, visit);
    }
  }

  private static int sizeOf(@Nullable Place tree) {
    return tree == null ? 0 : tree.size;
  }
}
