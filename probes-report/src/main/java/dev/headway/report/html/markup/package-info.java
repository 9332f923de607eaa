/** Writes HTML, SVG and figures that people read. Every text is escaped. */
@NullMarked
package dev.headway.report.html.markup;

import org.jspecify.annotations.NullMarked;
