/**
 * Context-free languages over bytes, and which tokens stay inside them.
 *
 * <p>A {@link dev.headway.grammar.network.Network} has states with edges of bytes and with calls of
 * rules that return. What a text so far has led to is a {@link dev.headway.grammar.network.Config}:
 * some states, each with its stack of returns. {@link dev.headway.grammar.network.Configs} makes
 * them as they are met and keeps them, so that a text that was met before costs a look into an
 * array per byte; {@link dev.headway.grammar.network.Masks} does the same for whole vocabularies.
 */
@NullMarked
package dev.headway.grammar.network;

import org.jspecify.annotations.NullMarked;
