package dev.headway.report.html.page;

import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.chart.Plot;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * One picture of the time line: several lines over the same x, as SVG and as data for the script.
 */
final class Panel {

  /** What the y axis measures. */
  enum Unit {
    TOKENS("tokens"),
    REQUESTS("requests"),
    SHARE("%"),
    TIME("ns");

    private final String word;

    Unit(String word) {
      this.word = word;
    }

    String text(double value) {
      return switch (this) {
        case TOKENS, REQUESTS -> Human.compact(value);
        case SHARE -> Human.number(value);
        case TIME -> Human.duration(value);
      };
    }
  }

  private static final int TABLE_ROWS = 20;

  private final String title;
  private final String caption;
  private final Unit unit;
  private final boolean stacked;
  private final double[] xs;
  private final List<Line> lines = new ArrayList<>();
  private @Nullable String referenceText;
  private double reference;

  /** Lines over {@code xs}; stacked ones are stacked in their order. */
  Panel(String title, String caption, Unit unit, boolean stacked, double[] xs) {
    this.title = title;
    this.caption = caption;
    this.unit = unit;
    this.stacked = stacked;
    this.xs = xs;
  }

  private static final class Line {
    final String name;
    final String style;
    final double[] values;
    final double @Nullable [] lows;
    final double @Nullable [] highs;

    Line(
        String name,
        String style,
        double[] values,
        double @Nullable [] lows,
        double @Nullable [] highs) {
      this.name = name;
      this.style = style;
      this.values = values;
      this.lows = lows;
      this.highs = highs;
    }
  }

  /** Adds a line. */
  Panel add(String name, String style, double[] values) {
    lines.add(new Line(name, style, values, null, null));
    return this;
  }

  /** Adds a line inside the band of its least and largest values. */
  Panel add(String name, String style, double[] values, double[] lows, double[] highs) {
    lines.add(new Line(name, style, values, lows, highs));
    return this;
  }

  /** Adds a line of reference. */
  Panel reference(String text, double value) {
    referenceText = text;
    reference = value;
    return this;
  }

  boolean isEmpty() {
    return lines.isEmpty() || xs.length == 0;
  }

  /** Writes the figure; {@code id} is that of its data. */
  void write(Markup out, Axis x, String id) {
    Section.openFigure(out, title, caption, "panel");
    Section.legend(
        out,
        lines.stream().map(line -> line.name).toList(),
        lines.stream().map(line -> line.style).toList());
    out.open("div", "class", "live", "data-panel", id).close("div");
    draw(out, x);
    closeWithTable(out);
  }

  private void draw(Markup out, Axis x) {
    final String word = unit == Unit.TIME ? "" : unit.word;
    final Axis y =
        unit == Unit.TOKENS || unit == Unit.REQUESTS
            ? Axis.countsFromZero(word, most(), 4, this::mark)
            : Axis.fromZero(word, most(), 4, this::mark);
    final Plot plot = new Plot(out, 1_120, 190, x, y);
    plot.open(title + ". " + caption + " The table below has the figures.");
    double[] below = new double[xs.length];
    for (Line line : lines) {
      if (stacked) {
        final double[] top = sum(below, line.values);
        plot.band(xs, below, top, "area " + line.style);
        below = zeroWhereUnknown(top);
      } else {
        if (line.lows != null && line.highs != null) {
          plot.band(xs, line.lows, line.highs, "band " + line.style);
        }
        plot.line(xs, line.values, "line " + line.style);
      }
    }
    if (referenceText != null && reference <= most() * 1.3) {
      plot.reference(reference, referenceText);
    }
    plot.close();
  }

  private void closeWithTable(Markup out) {
    final List<String> header = new ArrayList<>();
    header.add("from");
    header.add("to");
    for (Line line : lines) {
      header.add(line.name + ", mean");
      if (line.highs != null) {
        header.add(line.name + ", most");
      }
    }
    final List<List<String>> rows = new ArrayList<>();
    final int per = Math.max(1, (xs.length + TABLE_ROWS - 1) / TABLE_ROWS);
    for (int from = 0; from < xs.length; from += per) {
      final int to = Math.min(xs.length, from + per);
      final List<String> row = new ArrayList<>();
      row.add(Human.duration(xs[from]));
      row.add(Human.duration(xs[to - 1]));
      for (Line line : lines) {
        row.add(unit.text(mean(line.values, from, to)));
        if (line.highs != null) {
          row.add(unit.text(largest(line.highs, from, to)));
        }
      }
      rows.add(row);
    }
    Section.closeFigure(out, header, rows);
  }

  /** Writes the data: {@code x} in seconds, values with four digits that matter. */
  void write(JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("title", title);
    json.writeStringProperty("unit", unit.word);
    json.writeBooleanProperty("stacked", stacked);
    if (referenceText != null && reference <= most() * 1.3) {
      json.writeName("reference").writeNumber(digits(reference));
    }
    write(json, "x", Arrays.stream(xs).map(ns -> ns / 1e9).toArray());
    json.writeArrayPropertyStart("lines");
    for (Line line : lines) {
      json.writeStartObject();
      json.writeStringProperty("name", line.name);
      json.writeStringProperty("style", line.style);
      write(json, "y", line.values);
      if (line.lows != null && line.highs != null) {
        write(json, "low", line.lows);
        write(json, "high", line.highs);
      }
      json.writeEndObject();
    }
    json.writeEndArray().writeEndObject();
  }

  private String mark(double value) {
    return unit == Unit.TIME ? Human.mark(value) : unit.text(value);
  }

  private double most() {
    double most = 0;
    for (int i = 0; i < xs.length; i++) {
      double stack = 0;
      for (Line line : lines) {
        final double value = line.highs == null ? line.values[i] : line.highs[i];
        if (!Double.isNaN(value)) {
          stack = stacked ? stack + value : Math.max(stack, value);
        }
      }
      most = Math.max(most, stack);
    }
    return most;
  }

  private static double mean(double[] values, int from, int to) {
    return Arrays.stream(values, from, to)
        .filter(value -> !Double.isNaN(value))
        .average()
        .orElse(Double.NaN);
  }

  private static double largest(double[] values, int from, int to) {
    return Arrays.stream(values, from, to)
        .filter(value -> !Double.isNaN(value))
        .max()
        .orElse(Double.NaN);
  }

  private static double[] sum(double[] a, double[] b) {
    final double[] sum = new double[a.length];
    Arrays.setAll(sum, i -> a[i] + b[i]);
    return sum;
  }

  private static double[] zeroWhereUnknown(double[] values) {
    return Arrays.stream(values).map(value -> Double.isNaN(value) ? 0 : value).toArray();
  }

  private static void write(JsonGenerator json, String name, double[] values) {
    json.writeArrayPropertyStart(name);
    for (double value : values) {
      if (Double.isNaN(value)) {
        json.writeNull();
      } else {
        json.writeNumber(digits(value));
      }
    }
    json.writeEndArray();
  }

  private static String digits(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return Long.toString((long) value);
    }
    final double size = Math.abs(value);
    final int decimals = size >= 1_000 ? 1 : size >= 1 ? 4 : 6;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
