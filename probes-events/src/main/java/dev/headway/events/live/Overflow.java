package dev.headway.events.live;

/** What happens to a record when the consumers are so far behind that the ring is full. */
public enum Overflow {
  /** It is dropped and counted; the number of missing records is reported to the consumers. */
  DROP,
  /** The engine waits for room. Always so in virtual time. */
  BLOCK
}
