/** Regular expressions of ECMAScript, and automata over characters and bytes. */
@NullMarked
package dev.headway.grammar.regex;

import org.jspecify.annotations.NullMarked;
