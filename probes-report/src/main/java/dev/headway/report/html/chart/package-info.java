/**
 * Plots as SVG that needs no script: axes, lines, areas, bars, points. Colours are classes of the
 * page's style sheet. Nothing here depends on requests.
 */
@NullMarked
package dev.headway.report.html.chart;

import org.jspecify.annotations.NullMarked;
