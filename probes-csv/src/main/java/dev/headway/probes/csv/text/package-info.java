/** Figures as people read them, the same on a page and on a terminal. */
@NullMarked
package dev.headway.probes.csv.text;

import org.jspecify.annotations.NullMarked;
