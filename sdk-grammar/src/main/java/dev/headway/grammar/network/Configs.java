package dev.headway.grammar.network;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The configurations of a network, each made when it is first met. What is kept is bounded: with
 * too many, all is forgotten but what callers hold. One thread at a time.
 */
final class Configs {

  private static final int MOST_KEPT = 8_192;

  /** Beyond this a text is too ambiguous: it is taken for one that the language does not have. */
  private static final int MOST_PAIRS = 1_024;

  private record Call(int returnState, Frame caller) {}

  private final Network network;
  private final Map<Config, Config> kept = new HashMap<>();
  private final Map<Call, Frame> frames = new HashMap<>();
  private long nextFrameId = Frame.FIRST_ID;

  // the pairs that are being looked at
  private int[] states = new int[64];
  private Frame[] stacks = new Frame[64];
  private int pairs;
  private long work;

  Configs(Network network) {
    this.network = network;
  }

  /** Pairs looked at so far. */
  long work() {
    return work;
  }

  /** What the empty text has led to. */
  Config start() {
    return from(network.root, Frame.ROOT);
  }

  /** What a state has led to, in a rule of a caller. */
  Config from(int state, Frame frame) {
    pairs = 0;
    add(state, frame);
    return closed();
  }

  /** Where a byte leads to; dead if nowhere. Allocates nothing if it was asked before. */
  Config next(Config config, int value) {
    final int byteClass = network.classOf[value];
    if (config.next != null) {
      final Config next = config.next[byteClass];
      if (next != null) {
        return next;
      }
    }
    return make(config, byteClass);
  }

  private Config make(Config config, int byteClass) {
    final int value = network.byteOf[byteClass];
    pairs = 0;
    work += config.states.length;
    for (int i = 0; i < config.states.length; i++) {
      final int state = config.states[i];
      for (int e = network.edges.first()[state]; e < network.edges.first()[state + 1]; e++) {
        if (network.edgeLow[e] <= value && value <= network.edgeHigh[e]) {
          add(network.edges.target()[e], config.frames[i]);
        }
      }
    }
    final Config next = pairs == 0 ? Config.DEAD : closed();
    if (config.next == null) {
      config.next = new Config[network.byteOf.length];
    }
    config.next[byteClass] = next;
    return next;
  }

  private void add(int state, Frame frame) {
    for (int i = 0; i < pairs; i++) {
      if (states[i] == state && stacks[i] == frame) {
        return;
      }
    }
    if (pairs == states.length) {
      states = Arrays.copyOf(states, 2 * pairs);
      stacks = Arrays.copyOf(stacks, 2 * pairs);
    }
    states[pairs] = state;
    stacks[pairs++] = frame;
  }

  /** Follows moves, calls and returns, and keeps the states that wait for a byte. */
  private Config closed() {
    boolean accepts = false;
    boolean escapes = false;
    for (int i = 0; i < pairs; i++) {
      if (pairs > MOST_PAIRS) {
        return Config.DEAD;
      }
      final int state = states[i];
      final Frame frame = stacks[i];
      for (int m = network.moves.first()[state]; m < network.moves.first()[state + 1]; m++) {
        add(network.moves.target()[m], frame);
      }
      for (int c = network.calls.first()[state]; c < network.calls.first()[state + 1]; c++) {
        add(network.calls.target()[c], frame(network.callReturn[c], frame));
      }
      if (network.ends[state]) {
        accepts |= frame == Frame.ROOT;
        escapes |= frame == Frame.UNKNOWN;
        if (!frame.isBottom()) {
          add(frame.returnState, frame.parent());
        }
      }
    }
    work += pairs;
    return kept(accepts, escapes);
  }

  private Frame frame(int returnState, Frame caller) {
    return frames.computeIfAbsent(
        new Call(returnState, caller), call -> new Frame(returnState, caller, nextFrameId++));
  }

  private Config kept(boolean accepts, boolean escapes) {
    int waiting = 0;
    for (int i = 0; i < pairs; i++) {
      if (network.edges.first()[states[i]] < network.edges.first()[states[i] + 1]) {
        insert(waiting++, states[i], stacks[i]);
      }
    }
    final Config found =
        new Config(
            Arrays.copyOf(states, waiting), Arrays.copyOf(stacks, waiting), accepts, escapes);
    final Config known = kept.get(found);
    if (known != null) {
      return known;
    }
    if (kept.size() == MOST_KEPT) {
      forget();
    }
    kept.put(found, found);
    return found;
  }

  /** Sorts by insertion: there are few, and most come in order. */
  private void insert(int sorted, int state, Frame frame) {
    int at = sorted;
    while (at > 0
        && (states[at - 1] > state || (states[at - 1] == state && stacks[at - 1].id > frame.id))) {
      states[at] = states[at - 1];
      stacks[at] = stacks[at - 1];
      at--;
    }
    states[at] = state;
    stacks[at] = frame;
  }

  /** Also what those know that callers hold: it would keep all others. */
  private void forget() {
    for (Config config : kept.keySet()) {
      config.next = null;
      config.mask = null;
    }
    kept.clear();
    frames.clear();
  }

  /** Forgets the masks. */
  void forgetMasks() {
    for (Config config : kept.keySet()) {
      config.mask = null;
    }
  }
}
