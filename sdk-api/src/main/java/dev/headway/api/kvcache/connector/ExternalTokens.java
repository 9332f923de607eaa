package dev.headway.api.kvcache.connector;

import dev.headway.api.step.TransferReport;

/**
 * The answer to {@link KvConnector#lookup}: how many tokens behind the local ones a connector can
 * get, and when. Nothing unless one of the methods that set it was called. One object is reused;
 * engine thread only; allocates nothing.
 */
public final class ExternalTokens {

  /** Kinds of answers. */
  public enum Kind {
    /** There are none. */
    NONE,
    /** It is not known yet: the request is passed over, and asked about again. */
    UNDECIDED,
    /**
     * They are loaded in the step that computes the first token behind them, before it computes.
     */
    IN_STEP,
    /** They are loaded between steps, and reported once they are there. */
    AHEAD
  }

  private Kind kind = Kind.NONE;
  private int tokens;

  /** Creates an answer of no tokens. */
  public ExternalTokens() {}

  /** There are none; what an answer is unless set. */
  public void none() {
    set(Kind.NONE, 0);
  }

  /** It is not known yet: the request waits without blocking others, and is asked about again. */
  public void askAgain() {
    set(Kind.UNDECIDED, 0);
  }

  /**
   * Tokens that are loaded within the step that admits the request, before anything of it is
   * computed.
   *
   * @param count 0 for none; at most the known tokens but the local ones and the last, which must
   *     be computed to sample from it
   */
  public void inStep(int count) {
    set(count == 0 ? Kind.NONE : Kind.IN_STEP, count);
  }

  /**
   * Tokens that are loaded between steps: the request gets their blocks now, and waits until the
   * load is {@linkplain TransferReport#received reported}.
   *
   * @param count 0 for none; at most the known tokens but the local ones
   */
  public void ahead(int count) {
    set(count == 0 ? Kind.NONE : Kind.AHEAD, count);
  }

  private void set(Kind answered, int count) {
    kind = answered;
    tokens = count;
  }

  /** The kind of answer. */
  public Kind kind() {
    return kind;
  }

  /** Tokens behind the local ones; 0 for {@link Kind#NONE} and {@link Kind#UNDECIDED}. */
  public int tokens() {
    return tokens;
  }

  @Override
  public String toString() {
    return "ExternalTokens[kind=" + kind + ", tokens=" + tokens + "]";
  }
}
