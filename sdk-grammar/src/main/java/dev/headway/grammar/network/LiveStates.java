package dev.headway.grammar.network;

import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.ConstraintException.Kind;

/** Finds the states from which the end of their rule can be reached. One thread. */
final class LiveStates {

  private final boolean[] alive;
  private final Budget budget;

  LiveStates(int states, Budget budget) {
    this.alive = new boolean[states];
    this.budget = budget;
  }

  /**
   * Returns which are.
   *
   * @throws ConstraintException if no text is left
   */
  boolean[] of(Network network) {
    boolean changed = true;
    while (changed) {
      budget.time();
      changed = false;
      for (int state = alive.length - 1; state >= 0; state--) { // most lead to later ones
        if (!alive[state] && leadsOn(network, state)) {
          alive[state] = true;
          changed = true;
        }
      }
    }
    if (!alive[network.root]) {
      throw new ConstraintException(
          Kind.INVALID,
          "",
          "a constraint must allow a text that ends and that the vocabulary has tokens for");
    }
    return alive;
  }

  private boolean leadsOn(Network network, int state) {
    if (network.ends[state]) {
      return true;
    }
    for (int i = network.edges.first()[state]; i < network.edges.first()[state + 1]; i++) {
      if (alive[network.edges.target()[i]]) {
        return true;
      }
    }
    for (int i = network.moves.first()[state]; i < network.moves.first()[state + 1]; i++) {
      if (alive[network.moves.target()[i]]) {
        return true;
      }
    }
    for (int i = network.calls.first()[state]; i < network.calls.first()[state + 1]; i++) {
      if (alive[network.calls.target()[i]] && alive[network.callReturn[i]]) {
        return true;
      }
    }
    return false;
  }
}
