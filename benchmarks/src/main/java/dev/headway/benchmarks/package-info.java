/**
 * What scheduling costs, one question per class. Run {@code scripts/bench.sh}; see {@code
 * docs/benchmarks/README.md} for the command and the last results.
 */
@NullMarked
package dev.headway.benchmarks;

import org.jspecify.annotations.NullMarked;
