package dev.headway.api.step;

/**
 * The draft tokens of a step: the last of those scheduled for an entry, which the executor
 * verifies.
 *
 * <p>A reusable view, part of a {@link StepPlan} and valid as long. Reading allocates nothing.
 */
public interface DraftTokens {

  /** Placeholder for a draft token known only to the executor. */
  int ON_DEVICE = -1;

  /** Those of a plan without speculation. */
  DraftTokens NONE =
      new DraftTokens() {
        @Override
        public boolean isEmpty() {
          return true;
        }

        @Override
        public int count(int entry) {
          return 0;
        }

        @Override
        public int tokenId(int entry, int index) {
          throw new IndexOutOfBoundsException("the plan has no drafts: index=" + index);
        }

        @Override
        public int toPropose() {
          return 0;
        }
      };

  /** Whether no entry has any. */
  boolean isEmpty();

  /** Draft tokens of an entry, >= 0. */
  int count(int entry);

  /**
   * How many of an entry's drafts, its last ones, stand for none: they fill a batch of decodes up
   * to one length, or a grammar has refused them. They are no proposals, and no count of what came
   * of drafts has them.
   */
  default int padding(int entry) {
    return 0;
  }

  /**
   * Returns draft token {@code index} in [0, count); {@link #ON_DEVICE} if only the executor knows
   * it: it proposed the token itself in a step that was not processed yet, or may choose any token.
   */
  int tokenId(int entry, int index);

  /** Draft tokens the executor should propose per request for the next step. */
  int toPropose();
}
