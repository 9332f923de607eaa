package dev.headway.scheduler.queue;

import dev.headway.scheduler.state.RequestState;
import dev.headway.scheduler.state.RequestState.Held;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All waiting requests: those that may be admitted, in an {@link AdmissionOrder}, and those held
 * back until what they lack can have changed. So a step looks at no request that it cannot admit,
 * however many wait. Engine thread only; allocates only to grow.
 *
 * <ul>
 *   <li>A request whose LoRA adapter has no seat is considered again when a seat is free, or when
 *       its adapter is part of the step.
 *   <li>A request that the gate has deferred is asked again in turn, {@link #ASKED_AGAIN} per step:
 *       with so many or fewer, each in every step.
 *   <li>A request that is held from outside is considered again when it is released.
 * </ul>
 */
public final class AdmissionQueue {

  /** Most deferred requests that the gate is asked about again in a step. */
  public static final int ASKED_AGAIN = 64;

  /** Most requests per step that are given back because their adapter is in use again. */
  static final int GIVEN_BACK = 64;

  private final AdmissionOrder order;
  private final Consumer<RequestState> released;

  /** Those that wait for an adapter; null if adapters have no seats. */
  private final @Nullable AdapterLots lots;

  private final FcfsQueue deferred = new FcfsQueue();
  private final FcfsQueue outside = new FcfsQueue();
  private boolean deferredAreDue;
  private int size;

  /**
   * Makes an empty queue.
   *
   * @param order of those that may be admitted
   * @param seats the adapters of the step being planned; null if their number has no limit
   * @param released is notified of each request that is held back no longer, before it is
   *     considered
   */
  public AdmissionQueue(
      AdmissionOrder order, @Nullable AdapterSeats seats, Consumer<RequestState> released) {
    this.order = order;
    this.released = released;
    lots = seats == null ? null : new AdapterLots(order.order(), seats);
  }

  /** Puts a newly arrived request at its place. */
  public void add(RequestState request) {
    size++;
    order.add(request);
  }

  /** Puts a newly arrived request that is held at its place, which blocks no other. */
  public void addHeld(RequestState request) {
    add(request);
    hold(request);
  }

  /** A waiting request is held from now on. */
  public void hold(RequestState request) {
    order.setAside(request);
    request.held = Held.OUTSIDE;
    outside.add(request);
  }

  /** A request is held no longer. */
  public void release(RequestState request) {
    outside.remove(request);
    request.held = Held.NO;
    order.giveBack(request);
  }

  /** Number of requests that are not held from outside. */
  public int candidates() {
    return size - outside.size();
  }

  /** Puts a preempted request at its place: where an order of arrival keeps it first. */
  public void addPreempted(RequestState request) {
    size++;
    order.addPreempted(request);
  }

  /** Removes a request from any position. It must wait here. */
  public void remove(RequestState request) {
    size--;
    switch (request.held) {
      case NO -> order.remove(request);
      case FOR_ADAPTER -> lots().remove(request);
      case FOR_GATE -> deferred.remove(request);
      case OUTSIDE -> outside.remove(request);
    }
    request.held = Held.NO;
  }

  /** Admissions of a step begin; the seats are those of the step. */
  public void begin() {
    deferredAreDue = true;
    order.begin();
  }

  /** The request to be considered next, or null. */
  public @Nullable RequestState peek() {
    if (deferredAreDue) {
      deferredAreDue = false;
      giveBackDeferred();
    }
    giveBackDue();
    RequestState head = order.peek();
    while (head == null && giveBackDue()) {
      head = order.peek();
    }
    return head;
  }

  /** The request just peeked at cannot be admitted in this step, others can. */
  public void passOver(RequestState request) {
    order.passOver(request);
  }

  /** The request just peeked at cannot be admitted before its adapter can have a seat. */
  public void awaitAdapter(RequestState request) {
    order.setAside(request);
    request.held = Held.FOR_ADAPTER;
    lots().park(request);
  }

  /** The first of those that wait for an adapter that is not part of the step, or null. */
  public @Nullable RequestState firstWithoutAdapterSeat() {
    return lots == null ? null : lots.firstWithoutSeat();
  }

  /** The request just peeked at was deferred by the gate, which is asked again in turn. */
  public void defer(RequestState request) {
    order.setAside(request);
    request.held = Held.FOR_GATE;
    deferred.add(request);
  }

  /** A request was admitted: an order that depends on that can be recomputed. */
  public void admitted() {
    order.admitted();
  }

  /** Admissions of the step are over. */
  public void end() {
    order.end();
    if (lots != null && lots.size() > 0) {
      giveBackThoseOfTheStep(lots);
    }
  }

  /** Number of requests waiting. */
  public int size() {
    return size;
  }

  /** Number of those that were never passed over. */
  public int neverPassedOver() {
    return order.neverPassedOver();
  }

  /** Visits those never passed over in the order of admission; for tests and diagnosis. */
  public void forEachInOrder(Consumer<RequestState> visitor) {
    order.forEachInOrder(visitor);
  }

  /** Visits those passed over in the order of admission; for tests and diagnosis. */
  public void forEachPassedOver(Consumer<RequestState> visitor) {
    final List<RequestState> passedOver = new ArrayList<>();
    order.forEachPassedOver(passedOver::add);
    if (lots != null) {
      lots.forEach(passedOver::add);
    }
    deferred.forEachInOrder(passedOver::add);
    outside.forEachInOrder(passedOver::add);
    final Comparator<RequestState> inOrder = order.order();
    passedOver.stream().sorted(inOrder).forEach(visitor);
  }

  /** Returns whether any was. */
  private boolean giveBackDue() {
    if (lots == null) {
      return false;
    }
    boolean any = false;
    RequestState due = lots.first();
    while (due != null && order.isDue(due)) {
      lots.remove(due);
      giveBack(due);
      any = true;
      due = lots.first();
    }
    return any;
  }

  private AdapterLots lots() {
    return Objects.requireNonNull(lots, "a request waits for an adapter only if they have seats");
  }

  private void giveBackDeferred() {
    for (int i = 0; i < ASKED_AGAIN; i++) {
      final RequestState first = deferred.peek();
      if (first == null) {
        return;
      }
      deferred.remove(first);
      giveBack(first);
    }
  }

  private void giveBackThoseOfTheStep(AdapterLots lots) {
    int left = GIVEN_BACK;
    for (int i = 0; i < lots.seats().count(); i++) {
      final int adapterId = lots.seats().adapterId(i);
      RequestState first = lots.seats().isDrained(adapterId) ? null : lots.firstOf(adapterId);
      while (first != null && left > 0) {
        lots.remove(first);
        giveBack(first);
        left--;
        first = lots.firstOf(adapterId);
      }
    }
  }

  private void giveBack(RequestState request) {
    request.held = Held.NO;
    released.accept(request);
    order.giveBack(request);
  }
}
