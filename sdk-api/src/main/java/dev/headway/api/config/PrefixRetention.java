package dev.headway.api.config;

/**
 * Which blocks of a windowed or recurrent group stay findable. Such a group needs only the blocks
 * at the end of a prefix to continue it, so keeping all would waste the cache. Groups with full
 * attention keep everything.
 *
 * @param kind the rule
 * @param intervalTokens for {@link Kind#EVERY}: distance of the points kept, in tokens, >= 1; else
 *     0
 */
public record PrefixRetention(Kind kind, int intervalTokens) {

  /** Where a prefix can be continued. */
  public enum Kind {
    /** At the end of the prompt, and where prompts were seen to branch off. */
    BOUNDARIES,
    /** There, and at every multiple of the interval. */
    EVERY,
    /** Everywhere. */
    DENSE
  }

  /** The end of the prompt and branching points; the default. */
  public static final PrefixRetention BOUNDARIES = new PrefixRetention(Kind.BOUNDARIES, 0);

  /** Everything. */
  public static final PrefixRetention DENSE = new PrefixRetention(Kind.DENSE, 0);

  /** Validates the components. */
  public PrefixRetention {
    if (kind == Kind.EVERY ? intervalTokens < 1 : intervalTokens != 0) {
      throw new IllegalArgumentException(
          "intervalTokens must be >= 1 for EVERY and 0 otherwise: kind="
              + kind
              + ", intervalTokens="
              + intervalTokens);
    }
  }

  /** Boundaries and every {@code intervalTokens} tokens. */
  public static PrefixRetention every(int intervalTokens) {
    return new PrefixRetention(Kind.EVERY, intervalTokens);
  }
}
