/**
 * Statistics of streams, in bounded memory: distributions, samples, folding tables, fits and
 * bootstrap intervals. Nothing here depends on requests. Not thread-safe; the same input makes the
 * same figures.
 */
@NullMarked
package dev.headway.toolbox.stats;

import org.jspecify.annotations.NullMarked;
