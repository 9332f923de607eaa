package dev.headway.events.model;

/** Count, sum and variance of a changing multiset of token counts; exact while sums fit a long. */
public final class TokenMoments {

  private long count;
  private long sum;
  private long squares;

  /** Of nothing. */
  public TokenMoments() {}

  /** Their number. */
  public long count() {
    return count;
  }

  /** Their sum. */
  public long sum() {
    return sum;
  }

  /** Their population variance; 0 if there is none. */
  public double variance() {
    return count == 0 ? 0 : Math.max(0, squares - (double) sum * sum / count) / count;
  }

  /** Adds a count. */
  public void add(long tokens) {
    count++;
    sum += tokens;
    squares += tokens * tokens;
  }

  /** Takes a count back that was added. */
  public void remove(long tokens) {
    count--;
    sum -= tokens;
    squares -= tokens * tokens;
  }
}
