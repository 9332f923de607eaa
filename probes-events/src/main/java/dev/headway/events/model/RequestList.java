package dev.headway.events.model;

import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Requests in the order in which they were added, linked through {@link RequestTimeline#previous}
 * and {@link RequestTimeline#next}: a request is in one list at most. {@link #append} and {@link
 * #unlink} are O(1) and allocate nothing. One thread; unmodifiable for callers.
 */
final class RequestList extends AbstractCollection<RequestTimeline> {

  private @Nullable RequestTimeline first;
  private @Nullable RequestTimeline last;
  private int size;

  void append(RequestTimeline request) {
    final RequestTimeline before = last;
    request.previous = before;
    last = request;
    if (before == null) {
      first = request;
    } else {
      before.next = request;
    }
    size++;
  }

  /** Removes a request that is in this list. */
  void unlink(RequestTimeline request) {
    final RequestTimeline before = request.previous;
    final RequestTimeline after = request.next;
    request.previous = null;
    request.next = null;
    if (before == null) {
      first = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.previous = before;
    }
    size--;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Iterator<RequestTimeline> iterator() {
    return new Iterator<>() {
      private @Nullable RequestTimeline next = first;

      @Override
      public boolean hasNext() {
        return next != null;
      }

      @Override
      public RequestTimeline next() {
        final RequestTimeline request = next;
        if (request == null) {
          throw new NoSuchElementException();
        }
        next = request.next;
        return request;
      }
    };
  }
}
