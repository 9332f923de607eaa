package dev.headway.events.model;

import java.util.Objects;
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
final class OpenSteps<S> {

  private static final int MOST = 64;
  private static final int RING = 2 * MOST; // a power of two

  private final long[] stepIds = new long[RING];
  private final @Nullable Object[] steps = new @Nullable Object[RING];
  private final Consumer<S> lost;
  private int first;
  private int size;

  /** Starts with no step in flight; {@code lost} gets those whose completion is missing. */
  OpenSteps(Consumer<S> lost) {
    this.lost = lost;
  }

  /** A step was planned. */
  void planned(long stepId, S step) {
    final int slot = (first + size++) & (RING - 1);
    stepIds[slot] = stepId;
    steps[slot] = step;
    if (size > MOST) {
      lost.accept(removeFirst());
    }
  }

  /** A step is done. Returns its value, or null if its plan is missing. */
  @Nullable S completed(long stepId) {
    while (!isSettled(stepId - 1)) {
      lost.accept(removeFirst());
    }
    return isSettled(stepId) ? null : removeFirst();
  }

  /** A step in flight; null if there is none of this number. */
  @Nullable S find(long stepId) {
    for (int i = 0; i < size; i++) {
      final int slot = (first + i) & (RING - 1);
      if (stepIds[slot] == stepId) {
        return stepAt(slot);
      }
    }
    return null;
  }

  /** Whether a planned step can have no further effect. */
  boolean isSettled(long stepId) {
    return size == 0 || stepIds[first] > stepId;
  }

  /** The number of the earliest step in flight; there must be one. */
  long firstStepId() {
    return stepIds[first];
  }

  /** Whether no step is in flight. */
  boolean isEmpty() {
    return size == 0;
  }

  /** Passes all steps in flight to {@code action}, the earliest first. */
  void forEach(Consumer<S> action) {
    for (int i = 0; i < size; i++) {
      action.accept(stepAt((first + i) & (RING - 1)));
    }
  }

  /** No more records of this run: all are lost. */
  void giveUp() {
    while (size > 0) {
      lost.accept(removeFirst());
    }
  }

  private S removeFirst() {
    final S step = stepAt(first);
    steps[first] = null;
    first = (first + 1) & (RING - 1);
    size--;
    return step;
  }

  @SuppressWarnings("unchecked") // only S is put in
  private S stepAt(int slot) {
    return (S) Objects.requireNonNull(steps[slot]);
  }
}
