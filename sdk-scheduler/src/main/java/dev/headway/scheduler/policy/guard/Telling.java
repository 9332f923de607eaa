package dev.headway.scheduler.policy.guard;

import java.util.List;

/** Hands events to policies. Events are lambdas that capture nothing, so that none is allocated. */
final class Telling {

  private Telling() {}

  /** What is said of {@code about} and {@code also}. */
  interface Event<T, A, B> {
    void tell(T policy, A about, B also);
  }

  /** What is said of {@code about}, with a number. */
  interface CountedEvent<T, A> {
    void tell(T policy, A about, int number);
  }

  /** Hands over an event. Success does not end a row of failures: it says nothing of decisions. */
  static <T, A, B> void tell(Guarded<T> guarded, Event<T, A, B> event, A about, B also) {
    final T policy = guarded.active();
    if (policy == null) {
      return;
    }
    final long startNs = guarded.start();
    try {
      event.tell(policy, about, also);
    } catch (Throwable t) {
      guarded.failed(t);
    } finally {
      guarded.stop(startNs);
    }
  }

  /** Hands an event to all of them. */
  static <T, A> void tellAll(
      List<Guarded<T>> listeners, CountedEvent<T, A> event, A about, int number) {
    for (int index = 0; index < listeners.size(); index++) {
      final Guarded<T> guarded = listeners.get(index);
      final T policy = guarded.active();
      if (policy == null) {
        continue;
      }
      final long startNs = guarded.start();
      try {
        event.tell(policy, about, number);
      } catch (Throwable t) {
        guarded.failed(t);
      } finally {
        guarded.stop(startNs);
      }
    }
  }
}
