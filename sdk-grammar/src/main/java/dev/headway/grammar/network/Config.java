package dev.headway.grammar.network;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a text has led to: states that wait for a byte, each with its stack. Made and read under the
 * lock of its {@link Configs}; what it is stays as it is, what was found out about it is forgotten
 * when there is too much.
 */
public final class Config {

  /** What no text leads on from. */
  static final Config DEAD = new Config(new int[0], new Frame[0], false, false);

  final int[] states;
  final Frame[] frames;

  /** Whether the text may end here. */
  private final boolean accepts;

  /** Whether a rule of an unknown caller may end here. */
  final boolean escapes;

  private final int hash;

  /** Where each class of bytes leads to, as far as it is known. */
  @Nullable Config @Nullable [] next;

  /** Which tokens may follow, once it is known. */
  @Nullable TokenSet mask;

  Config(int[] states, Frame[] frames, boolean accepts, boolean escapes) {
    this.states = states;
    this.frames = frames;
    this.accepts = accepts;
    this.escapes = escapes;
    int sum = (accepts ? 1 : 0) + (escapes ? 2 : 0);
    for (int i = 0; i < states.length; i++) {
      sum = 31 * (31 * sum + states[i]) + Long.hashCode(frames[i].id);
    }
    this.hash = sum;
  }

  /** Whether the text may end here. */
  public boolean accepts() {
    return accepts;
  }

  /** Whether no byte can follow. */
  public boolean isComplete() {
    return states.length == 0;
  }

  boolean isDead() {
    return states.length == 0 && !accepts && !escapes;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Config that
        && accepts == that.accepts
        && escapes == that.escapes
        && Arrays.equals(states, that.states)
        && Arrays.equals(frames, that.frames); // frames are the same or differ
  }

  @Override
  public int hashCode() {
    return hash;
  }
}
