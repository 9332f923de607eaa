package dev.headway.events.live;

/** What becomes of a record when its consumers are so far behind that there is no room for it. */
public enum Overflow {
  /** It is dropped and counted; the consumers are told how many are missing. */
  DROP,
  /** The engine waits for room. Always so in virtual time. */
  BLOCK
}
