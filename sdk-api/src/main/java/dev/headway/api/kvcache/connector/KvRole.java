package dev.headway.api.kvcache.connector;

/** What a connector does with KV. */
public enum KvRole {
  /** Hands KV on to others. */
  PRODUCER,
  /** Gets KV from others. */
  CONSUMER,
  /** Both. */
  BOTH;

  /** Whether it writes KV into blocks of this engine. */
  public boolean loads() {
    return this != PRODUCER;
  }

  /** Whether it reads KV out of blocks of this engine. */
  public boolean sends() {
    return this != CONSUMER;
  }
}
