/**
 * What an answer must look like, compiled to the tokens that may come next.
 *
 * <pre>{@code
 * Constraint ─▶ GrammarBackend.compile ─▶ Grammar of one request ─▶ Request.Builder.grammar
 *               (threads of its own)      (engine thread)
 * }</pre>
 *
 * <p>Read {@link dev.headway.grammar.GrammarBackend} first. {@link
 * dev.headway.grammar.automaton.AutomatonBackend} is the one that is built in; another one, such as
 * a binding of a native library, implements the same interface and is given to the server or used
 * by an embedder in its place.
 */
@NullMarked
package dev.headway.grammar;

import org.jspecify.annotations.NullMarked;
