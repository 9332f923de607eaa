package dev.headway.grammar.network;

import dev.headway.api.step.TokenConstraints;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/*
 * Most of a mask does not depend on the stack: inside a string, a token stays in the string or it
 * does not. So what a state allows within its rule is found once, by a walk over the whole
 * vocabulary with a caller that is not known, together with the places where the rule ends inside
 * a token; a configuration then only walks on from those places, with its own stack. The idea is
 * that of XGrammar's context-independent tokens (Dong et al. 2024, section 3.1).
 */
/** Which tokens may follow a configuration. Masks are kept up to a limit. One thread at a time. */
final class Masks {

  /** Pairs that are looked at for a mask; beyond, only tokens of one byte are added. */
  private static final long MOST_WORK = 2_000_000;

  /** What a state allows within its rule, and the nodes where its rule ends. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Local(TokenSet tokens, int[] escapes) {
    int bytes() {
      return tokens.bytes() + Integer.BYTES * escapes.length;
    }
  }

  private final Configs configs;
  private final TokenTrie trie;
  private final int maxBytes;
  private final @Nullable Local[] locals;
  private final Config[] way;
  private final int[] bits;
  private long bytes;
  private long untilWork;

  Masks(Configs configs, int states, TokenTrie trie, int maxBytes) {
    this.configs = configs;
    this.trie = trie;
    this.maxBytes = maxBytes;
    this.locals = new Local[states];
    this.way = new Config[trie.deepest + 1];
    this.bits = new int[TokenConstraints.wordsPerRow(trie.vocabulary().size())];
  }

  /** Returns the tokens that may follow, those that end the text left out. */
  TokenSet of(Config config) {
    final TokenSet known = config.mask;
    return known == null ? make(config) : known;
  }

  private TokenSet make(Config config) {
    untilWork = configs.work() + MOST_WORK;
    final Local[] parts = new Local[config.states.length];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = local(config.states[i]);
    }
    Arrays.fill(bits, 0);
    for (int i = 0; i < parts.length; i++) {
      parts[i].tokens.addTo(bits);
      final Frame frame = config.frames[i];
      if (!frame.isBottom() && parts[i].escapes.length > 0) {
        final Config behind = configs.from(frame.returnState, frame.parent());
        for (int node : parts[i].escapes) {
          walk(node, behind, null);
        }
      }
    }
    final TokenSet made = TokenSet.of(bits);
    pay(made.bytes());
    config.mask = made;
    return made;
  }

  private Local local(int state) {
    final Local known = locals[state];
    if (known != null) {
      return known;
    }
    Arrays.fill(bits, 0);
    final GrowingInts escapes = new GrowingInts();
    walk(0, configs.from(state, Frame.UNKNOWN), escapes);
    final Local made = new Local(TokenSet.of(bits), escapes.toArray());
    pay(made.bytes());
    locals[state] = made;
    return made;
  }

  private void pay(int cost) {
    if (bytes + cost > maxBytes) {
      Arrays.fill(locals, null);
      configs.forgetMasks();
      bytes = 0;
    }
    bytes += cost;
  }

  /**
   * Adds the tokens below a node that a configuration allows.
   *
   * @param escapes receives the nodes where a rule of an unknown caller ends and tokens go on, or
   *     null
   */
  private void walk(int from, Config config, @Nullable GrowingInts escapes) {
    final int base = trie.depth[from];
    way[base] = config;
    int node = from + 1;
    final int last = trie.end[from];
    while (node < last) {
      final int depth = trie.depth[node];
      final boolean isTooMuch = depth > 1 && configs.work() > untilWork;
      final Config next =
          isTooMuch ? Config.DEAD : configs.next(way[depth - 1], trie.label[node] & 0xff);
      if (next.isDead()) {
        node = trie.end[node];
        continue;
      }
      for (int i = trie.firstToken[node]; i < trie.firstToken[node + 1]; i++) {
        final int token = trie.tokens[i];
        bits[token >> 5] |= 1 << token;
      }
      if (next.escapes && escapes != null && trie.end[node] > node + 1) {
        escapes.add(node);
      }
      way[depth] = next;
      node++;
    }
  }
}
