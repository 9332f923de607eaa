/** JSON lines: compact, one value per line, written without a tree and without a locale. */
@NullMarked
package dev.headway.probes.csv.json;

import org.jspecify.annotations.NullMarked;
