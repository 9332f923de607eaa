package dev.headway.report.html.page;

import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.chart.Histogram;
import dev.headway.toolbox.chart.Plot;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.text.Human;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * A distribution as bars, and as a table of the same counts.
 *
 * @param values what is distributed, for the axis
 * @param counted what has the values
 * @param style of the bars
 * @param mark a value at the axis
 * @param text a value in words
 */
record HistogramFigure(
    String values,
    String counted,
    String style,
    DoubleFunction<String> mark,
    DoubleFunction<String> text) {

  private static final int WIDTH = 540;
  private static final int HEIGHT = 260;
  private static final int TABLE_ROWS = 16;

  /** Completes a figure that is open. */
  void write(Markup out, Distribution all, String alternative) {
    final Histogram bins = Histogram.binsOf(all).fill(all);
    final double beyond = bins.overflow() > 0 ? 2 * bins.width() : 0;
    final Plot plot =
        new Plot(
            out,
            WIDTH,
            HEIGHT,
            Axis.linear(
                bins.overflow() > 0 ? values + "; the last bar: longer" : values,
                bins.startOf(0),
                bins.high() + beyond,
                4,
                mark),
            Axis.countsFromZero(counted, (double) bins.most(), 5, Human::compact));
    plot.labelRows(3);
    plot.open(alternative);
    plot.histogram(bins, all, "bin " + style, text);
    plot.close();
    Section.closeFigure(
        out,
        List.of("from", "to", counted),
        bins.rows(TABLE_ROWS, text, text.apply((double) all.max())));
  }
}
