package dev.headway.events.model;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Planned steps that wait for their completion, matched by number, never by order of arrival: steps
 * may overlap. They complete in order, so that an earlier one still here when a later one is done
 * has lost its record.
 *
 * <p>One thread; memory grows with the steps in flight, of which an engine has a handful and a
 * journal with missing records at most {@value #MOST}.
 *
 * @param <S> the value per step
 */
final class StepsInFlight<S> {

  private static final int MOST = 64;

  private final Deque<Planned<S>> steps = new ArrayDeque<>();
  private final Consumer<S> lost;

  private record Planned<S>(long stepId, S step) {}

  /** Starts with no step in flight; {@code lost} gets those whose completion is missing. */
  StepsInFlight(Consumer<S> lost) {
    this.lost = lost;
  }

  /** A step was planned. */
  void planned(long stepId, S step) {
    steps.addLast(new Planned<>(stepId, step));
    if (steps.size() > MOST) {
      lost.accept(steps.removeFirst().step());
    }
  }

  /** A step is done. Returns its value, or null if its plan is missing. */
  @Nullable S completed(long stepId) {
    Planned<S> first = steps.peekFirst();
    while (first != null && first.stepId() < stepId) {
      lost.accept(steps.removeFirst().step());
      first = steps.peekFirst();
    }
    if (first == null || first.stepId() != stepId) {
      return null;
    }
    return steps.removeFirst().step();
  }

  /** Whether a planned step can have no further effect. */
  boolean isSettled(long stepId) {
    final Planned<S> first = steps.peekFirst();
    return first == null || first.stepId() > stepId;
  }

  /** Whether no step is in flight. */
  boolean isEmpty() {
    return steps.isEmpty();
  }

  /** Passes all steps in flight to {@code action}, the earliest first. */
  void forEach(Consumer<S> action) {
    for (Planned<S> planned : steps) {
      action.accept(planned.step());
    }
  }

  /** No more records of this run: all are lost. */
  void giveUp() {
    while (!steps.isEmpty()) {
      lost.accept(steps.removeFirst().step());
    }
  }
}
