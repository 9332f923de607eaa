package dev.headway.grammar.network;

import org.jspecify.annotations.Nullable;

/** Where a rule goes on when it ends, and where its caller does. Immutable. */
final class Frame {

  /** Of the rule that begins all texts: its end is theirs. */
  static final Frame ROOT = new Frame(-1, null, 0);

  /** Of a rule whose caller is not looked at. */
  static final Frame UNKNOWN = new Frame(-1, null, 1);

  /** Ids from here on are free. */
  static final long FIRST_ID = 2;

  final int returnState;
  private final @Nullable Frame parent;

  /** Tells frames apart; a later one has a larger id. */
  final long id;

  Frame(int returnState, @Nullable Frame parent, long id) {
    this.returnState = returnState;
    this.parent = parent;
    this.id = id;
  }

  boolean isBottom() {
    return parent == null;
  }

  /** That of the caller; not of a bottom. */
  Frame parent() {
    if (parent == null) {
      throw new IllegalStateException("the bottom of a stack has no caller: id=" + id);
    }
    return parent;
  }
}
