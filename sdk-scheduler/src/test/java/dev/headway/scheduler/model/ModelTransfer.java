package dev.headway.scheduler.model;

/** What the KV connector of the model has of a request, and does for it. */
final class ModelTransfer {

  /** Where a load between steps is. */
  enum Load {
    NONE,
    OUT,
    RECEIVED
  }

  /** Leading tokens that the connector has. */
  int has;

  /** Whether they come between steps. */
  boolean ahead;

  /** How often it does not know yet. */
  int undecided;

  /** Whether the blocks are kept when it ends by itself. */
  boolean keeps;

  Load load = Load.NONE;
  boolean failed;
  boolean neverAgain;

  /** Whether it is a prefill in flight. */
  boolean prefilling;

  /** Whether it is loaded, and holds its blocks without running. */
  boolean loaded;

  /** Tokens behind {@code local} ones, none if a load has failed before. */
  int tokens(int known, int local) {
    final int most = known - (ahead ? 0 : 1);
    return neverAgain || known == 1 ? 0 : Math.max(0, Math.min(has, most) - local);
  }
}
