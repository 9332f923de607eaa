package dev.headway.probes.csv.projection;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** Requests in a line; any of them leaves in constant time. A request stands in one list only. */
final class RequestList implements Iterable<RequestTimeline> {

  private @Nullable RequestTimeline head;
  private @Nullable RequestTimeline tail;

  void addFirst(RequestTimeline request) {
    request.previous = null;
    request.next = head;
    if (head == null) {
      tail = request;
    } else {
      head.previous = request;
    }
    head = request;
  }

  void addLast(RequestTimeline request) {
    request.previous = tail;
    request.next = null;
    if (tail == null) {
      head = request;
    } else {
      tail.next = request;
    }
    tail = request;
  }

  void remove(RequestTimeline request) {
    final RequestTimeline before = request.previous;
    final RequestTimeline after = request.next;
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
  }

  @Override
  public Iterator<RequestTimeline> iterator() {
    return new Walk(head);
  }

  private static final class Walk implements Iterator<RequestTimeline> {

    private @Nullable RequestTimeline upcoming;

    private Walk(@Nullable RequestTimeline first) {
      this.upcoming = first;
    }

    @Override
    public boolean hasNext() {
      return upcoming != null;
    }

    @Override
    public RequestTimeline next() {
      final RequestTimeline request = upcoming;
      if (request == null) {
        throw new NoSuchElementException("the list is at its end");
      }
      upcoming = request.next;
      return request;
    }
  }
}
