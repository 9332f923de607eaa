/** Writes HTML, SVG and figures that people read. Every text is escaped. */
@NullMarked
package dev.headway.probes.csv.report.markup;

import org.jspecify.annotations.NullMarked;
