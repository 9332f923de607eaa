package dev.headway.api.step;

/**
 * Whether a step needed something that no step before it had made: a recording of its batch size, a
 * plan for a product of so many rows, code of a kernel on the device. Such a step takes longer than
 * the next of its kind, which says nothing of that one.
 */
public enum FirstOfKind {
  /** The executor does not say. */
  UNKNOWN,
  /** It did. */
  FIRST,
  /** All that it needed was there. */
  NOT_FIRST
}
