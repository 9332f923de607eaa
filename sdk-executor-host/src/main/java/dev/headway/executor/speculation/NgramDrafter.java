package dev.headway.executor.speculation;

/**
 * Proposes what followed the last time that a text had its present end: the longest end of {@link
 * NgramOptions} that occurred before, and of its occurrences the first. As vLLM's {@code
 * ngram_proposer.py}: the table of Knuth, Morris and Pratt over the text read backwards, one pass,
 * whose table is as long as the longest end.
 *
 * <p>One thread; allocates nothing.
 */
public final class NgramDrafter {

  private final int minTokens;
  private final int maxTokens;

  /** Of each of the last ends: the longest shorter one that it ends with. */
  private final int[] borders;

  /** Makes a drafter. */
  public NgramDrafter(NgramOptions options) {
    minTokens = options.minTokens();
    maxTokens = options.maxTokens();
    borders = new int[maxTokens];
  }

  /**
   * Looks up the end of a text.
   *
   * @param tokens the text in [0, count)
   * @param most drafts wanted, >= 0
   * @return the position in {@code tokens} of the first draft; {@code count} if there is none.
   *     Drafts are the tokens from there on, at most {@code most}, before {@code count}
   */
  public int firstDraft(int[] tokens, int count, int most) {
    if (most <= 0 || count <= minTokens) {
      return count;
    }
    int longest = 0;
    int end = 0; // of the occurrence, counted backwards
    int matched = 0;
    int i = 1;
    borders[0] = 0;
    while (i < count) {
      if (tokens[count - 1 - matched] == tokens[count - 1 - i]) {
        matched++;
        if (matched >= longest) { // the first occurrence is found last
          longest = matched;
          end = i;
        }
        if (i < maxTokens) {
          borders[i] = matched;
        }
        if (matched == maxTokens) {
          matched = borders[maxTokens - 1];
        }
        i++;
      } else if (matched != 0) {
        matched = borders[matched - 1];
      } else {
        if (i < maxTokens) {
          borders[i] = 0;
        }
        i++;
      }
    }
    return longest < minTokens ? count : count - 1 - end + longest;
  }
}
