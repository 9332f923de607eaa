package dev.headway.scheduler.queue;

import dev.headway.scheduler.state.RequestState;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Order of arrival; preempted requests are in front, the one preempted last first. A doubly linked
 * list through the requests themselves: every operation is O(1) and allocates nothing.
 */
public final class FcfsQueue implements WaitingQueue {

  private @Nullable RequestState head;
  private @Nullable RequestState tail;
  private int size;

  @Override
  public void add(RequestState request) {
    request.previous = tail;
    if (tail == null) {
      head = request;
    } else {
      tail.next = request;
    }
    tail = request;
    size++;
  }

  @Override
  public void putBack(RequestState request) {
    request.next = head;
    if (head == null) {
      tail = request;
    } else {
      head.previous = request;
    }
    head = request;
    size++;
  }

  @Override
  public @Nullable RequestState peek() {
    return head;
  }

  @Override
  public void remove(RequestState request) {
    final RequestState before = request.previous;
    final RequestState after = request.next;
    if (before == null) {
      head = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      tail = before;
    } else {
      after.previous = before;
    }
    request.previous = null;
    request.next = null;
    size--;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public void forEachInOrder(Consumer<RequestState> visitor) {
    for (RequestState at = head; at != null; at = at.next) {
      visitor.accept(at);
    }
  }
}
