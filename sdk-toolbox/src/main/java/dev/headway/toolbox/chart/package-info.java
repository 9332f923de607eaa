/**
 * Plots as SVG that needs no script: axes, lines, areas, bars, points. Colours are classes of the
 * page's style sheet. Nothing here depends on requests.
 */
@NullMarked
package dev.headway.toolbox.chart;

import org.jspecify.annotations.NullMarked;
