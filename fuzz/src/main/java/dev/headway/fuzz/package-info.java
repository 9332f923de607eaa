/**
 * Fuzzing of parsers: {@link dev.headway.fuzz.ParserFuzz} is what a target extends, beside the
 * tests of its parser. Depends on nothing of Headway.
 */
@NullMarked
package dev.headway.fuzz;

import org.jspecify.annotations.NullMarked;
