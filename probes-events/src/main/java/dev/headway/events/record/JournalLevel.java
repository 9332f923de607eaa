package dev.headway.events.record;

import java.util.Locale;

/** How much a journal keeps. */
public enum JournalLevel {
  /** Nothing: no file is made. */
  OFF,
  /** Requests and steps, without the entries of a step, without waits and KV blocks. */
  SUMMARY,
  /** Every event with all its figures. */
  FULL,
  /** All that, and the scores of policies: how each choice came about. */
  DEBUG;

  /** The word used in options, environment and journals. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
