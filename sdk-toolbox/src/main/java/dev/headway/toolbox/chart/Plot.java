package dev.headway.toolbox.chart;

import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.stats.Distribution;
import java.util.Locale;
import java.util.function.DoubleFunction;

/** One SVG picture with two axes. Open it, draw in the order of the layers, close it. */
public final class Plot {

  private static final int LEFT = 64;
  private static final int RIGHT = 14;
  private static final int TOP = 10;
  private static final int BOTTOM = 40;
  private static final int LABEL_ROW = 13;
  private static final double[] QUANTILES = {0.5, 0.95, 0.99};

  private final Markup out;
  private final int width;
  private final int height;
  private final Axis x;
  private final Axis y;
  private int top = TOP;

  /** A picture of {@code width} by {@code height} units, about as many pixels. */
  public Plot(Markup out, int width, int height, Axis x, Axis y) {
    this.out = out;
    this.width = width;
    this.height = height;
    this.x = x;
    this.y = y;
  }

  /** Leaves room above the picture for the texts of {@code rows} marks; before {@link #open}. */
  public Plot labelRows(int rows) {
    top = TOP + LABEL_ROW * rows;
    return this;
  }

  /** Draws the axes; {@code alternative} says in a sentence what is to be seen. */
  public Plot open(String alternative) {
    out.open(
        "svg",
        "viewBox",
        "0 0 " + width + " " + height,
        "role",
        "img",
        "aria-label",
        alternative,
        "class",
        width > 600 ? "wide" : "half");
    for (Axis.Tick tick : y.ticks()) {
      final double at = py(tick.value());
      line(LEFT, at, width - RIGHT, at, "grid");
      label(LEFT - 6, at + 4, tick.text(), "end");
    }
    double free = Double.NEGATIVE_INFINITY;
    for (Axis.Tick tick : x.ticks()) {
      final double at = px(tick.value());
      line(at, height - BOTTOM, at, height - BOTTOM + 4, "tick");
      final double half = tick.text().length() * 3.2;
      final double middle = Math.min(at, width - half - 1);
      if (middle - half >= free) {
        label(middle, height - BOTTOM + 16, tick.text(), "middle");
        free = middle + half + 8;
      }
    }
    line(LEFT, height - BOTTOM, width - RIGHT, height - BOTTOM, "axis");
    label((LEFT + width - RIGHT) / 2.0, height - 6, x.label(), "middle");
    out.element(
        "text",
        y.label(),
        "transform",
        "translate(11 " + number((top + height - BOTTOM) / 2.0) + ") rotate(-90)",
        "text-anchor",
        "middle");
    return this;
  }

  /** Ends the picture. */
  public void close() {
    out.close("svg");
  }

  /** A line through the points; NaN interrupts it. */
  public Plot line(double[] xs, double[] ys, String style) {
    final StringBuilder path = new StringBuilder();
    boolean pen = false;
    for (int i = 0; i < xs.length; i++) {
      if (Double.isNaN(ys[i])) {
        pen = false;
      } else {
        path.append(pen ? 'L' : 'M');
        point(path, xs[i], ys[i]);
        pen = true;
      }
    }
    return path(path, style);
  }

  /** A stair through the points, each level held up to the next point. */
  public Plot stair(double[] xs, double[] ys, String style) {
    final StringBuilder path = new StringBuilder();
    for (int i = 0; i < xs.length; i++) {
      if (i == 0) {
        path.append('M');
        point(path, xs[i], ys[i]);
      } else {
        path.append('H').append(number(px(xs[i]))).append('V').append(number(py(ys[i])));
      }
    }
    return path(path, style);
  }

  /** The area between two lines over the same x; NaN interrupts it. */
  public Plot band(double[] xs, double[] lows, double[] highs, String style) {
    final StringBuilder path = new StringBuilder();
    for (int from = 0; from < xs.length; ) {
      int to = from;
      while (to < xs.length && !Double.isNaN(highs[to])) {
        to++;
      }
      for (int i = from; i < to; i++) {
        path.append(i == from ? 'M' : 'L');
        point(path, xs[i], highs[i]);
      }
      for (int i = to - 1; i >= from; i--) {
        path.append('L');
        point(path, xs[i], lows[i]);
      }
      if (to > from) {
        path.append('Z');
      }
      from = Math.max(to, from + 1);
    }
    return path(path, style);
  }

  /** A bar over [fromX, toX] up to {@code topY}. */
  public Plot bar(double fromX, double toX, double bottomY, double topY, String style) {
    final double left = px(fromX);
    final double top = py(topY);
    out.shape(
        "rect",
        "x",
        number(left),
        "y",
        number(top),
        "width",
        number(Math.max(0.5, px(toX) - left)),
        "height",
        number(Math.max(0, py(bottomY) - top)),
        "class",
        style);
    return this;
  }

  /** Dots, as one path. */
  public Plot dots(double[] xs, double[] ys, String style) {
    final StringBuilder path = new StringBuilder();
    for (int i = 0; i < xs.length; i++) {
      path.append('M');
      point(path, xs[i], ys[i]);
      path.append("h.01");
    }
    return path(path, style);
  }

  /** Dots, or where there are more than {@code mostDots} hexagons, since dots would hide others. */
  public Plot scatter(double[] xs, double[] ys, int mostDots, String style) {
    return xs.length > mostDots ? density(xs, ys, 6, 0.15) : dots(xs, ys, style);
  }

  /** Hexagons, the darker the more points are in one; a single point has the lightest shade. */
  public Plot density(double[] xs, double[] ys, int radius, double lightest) {
    final HexBins bins = new HexBins(radius);
    for (int i = 0; i < xs.length; i++) {
      bins.add(px(xs[i]), py(ys[i]));
    }
    for (HexBins.Hexagon hexagon : bins.hexagons()) {
      final double shade = Math.log1p(hexagon.count()) / Math.log1p(bins.most());
      hexagon(hexagon.x(), hexagon.y(), radius, lightest + (1 - lightest) * shade);
    }
    return this;
  }

  /**
   * The bars of a histogram, what is beyond it in one more behind a gap, and marks of p50, p95 and
   * p99.
   *
   * @param all what the histogram is of
   * @param text of a value
   */
  public Plot histogram(
      Histogram bins, Distribution all, String style, DoubleFunction<String> text) {
    for (int bin = 0; bin < bins.bins(); bin++) {
      if (bins.count(bin) > 0) {
        final double from = bins.startOf(bin);
        bar(from, from + bins.width(), 0, (double) bins.count(bin), style);
      }
    }
    if (bins.overflow() > 0) {
      final double from = bins.high() + bins.width();
      bar(from, from + bins.width(), 0, (double) bins.overflow(), style);
    }
    for (int i = 0; i < QUANTILES.length; i++) {
      final double value = all.quantile(QUANTILES[i]);
      mark(value, "p" + Math.round(100 * QUANTILES[i]) + " " + text.apply(value), i);
    }
    return this;
  }

  /** A hexagon around a point of the picture itself, with a share of the darkest shade. */
  private void hexagon(double centreX, double centreY, double radius, double shade) {
    final StringBuilder path = new StringBuilder();
    for (int corner = 0; corner < 6; corner++) {
      final double angle = Math.PI / 3 * corner + Math.PI / 6;
      path.append(corner == 0 ? 'M' : 'L')
          .append(number(centreX + radius * Math.cos(angle)))
          .append(' ')
          .append(number(centreY + radius * Math.sin(angle)));
    }
    out.shape(
        "path", "d", path.append('Z').toString(), "class", "hex", "fill-opacity", number(shade));
  }

  /** A vertical line with a text above the picture, in the n-th row of {@link #labelRows}. */
  public Plot mark(double value, String text, int nth) {
    return vertical(value, text, nth, "mark");
  }

  /** The same for a limit. */
  public Plot limit(double value, String text, int nth) {
    return vertical(value, text, nth, "slo");
  }

  private Plot vertical(double value, String text, int nth, String style) {
    final double at = px(value);
    final double row = TOP + (double) LABEL_ROW * nth;
    line(at, row, at, height - BOTTOM, style);
    final boolean left = at > width * 0.7;
    halo(at + (left ? -4 : 4), row + LABEL_ROW - 5, text, left ? "end" : "start");
    return this;
  }

  /** A horizontal line with a text. */
  public Plot reference(double value, String text) {
    final double at = py(value);
    line(LEFT, at, width - RIGHT, at, "mark");
    halo(width - RIGHT - 4, at < top + 14 ? at + 12 : at - 4, text, "end");
    return this;
  }

  /** Where an x is in the picture. */
  public double px(double value) {
    return LEFT + clamp(x.position(value)) * (width - LEFT - RIGHT);
  }

  /** Where a y is in the picture. */
  public double py(double value) {
    return height - BOTTOM - clamp(y.position(value)) * (height - top - BOTTOM);
  }

  private Plot path(StringBuilder path, String style) {
    if (!path.isEmpty()) {
      out.shape("path", "d", path.toString(), "class", style);
    }
    return this;
  }

  private void point(StringBuilder path, double atX, double atY) {
    path.append(number(px(atX))).append(' ').append(number(py(atY)));
  }

  private void line(double x1, double y1, double x2, double y2, String style) {
    out.shape(
        "path",
        "d",
        "M" + number(x1) + " " + number(y1) + "L" + number(x2) + " " + number(y2),
        "class",
        style);
  }

  private void label(double atX, double atY, String text, String anchor) {
    out.element("text", text, "x", number(atX), "y", number(atY), "text-anchor", anchor);
  }

  /** Text that stays readable over what is drawn. */
  private void halo(double atX, double atY, String text, String anchor) {
    out.element(
        "text", text, "x", number(atX), "y", number(atY), "text-anchor", anchor, "class", "halo");
  }

  private static double clamp(double position) {
    return Math.max(0, Math.min(1, position));
  }

  private static String number(double value) {
    final String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }
}
