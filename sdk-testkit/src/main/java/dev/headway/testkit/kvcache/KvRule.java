package dev.headway.testkit.kvcache;

/** A rule that a random load can find broken. */
enum KvRule {
  CONSERVATION("free + held + quarantined blocks must be the usable ones"),
  OWNERSHIP("a new block must be free, and not the null block"),
  CAPACITY("an allocated sequence must have a block for each token that is computed"),
  CONTENT("a block found by a lookup must hold the KV of the same tokens"),
  LAST_TOKEN("a lookup must leave the last known token to be computed"),
  FENCE("a block that a step out may still write must not be handed out"),
  GAIN("a release must free the blocks that blocksGained has counted"),
  REFUSAL("a refusal must change nothing, and say what was needed"),
  ALLOCATED_THROUGH("up to allocatedThrough an extension must change nothing"),
  COMMON_PREFIX("common blocks must stand in every block table"),
  EVENTS("what is removed must have been stored");

  private final String text;

  KvRule(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
