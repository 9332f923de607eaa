/**
 * The backend that is built in: constraints become networks of byte automata.
 *
 * <p>Read {@link dev.headway.grammar.automaton.AutomatonBackend}.
 */
@NullMarked
package dev.headway.grammar.automaton;

import org.jspecify.annotations.NullMarked;
