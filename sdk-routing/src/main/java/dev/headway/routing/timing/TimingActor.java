package dev.headway.routing.timing;

/** Whose clock is read at a {@link TimingStage}. */
public enum TimingActor {
  /** Who asks: a load generator, or a client that stamps its requests. */
  CLIENT,
  /** What chooses a server. */
  ROUTER,
  /** The server, and the scheduler in it. */
  SERVER
}
