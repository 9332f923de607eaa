package dev.headway.toolbox.chart;

import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/** Position of a value on an axis from 0 to 1, and the labels of the axis. Immutable. */
public final class Axis {

  private static final double[] TIME_STEPS_S = {
    60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400
  };
  private static final double NS_PER_S = 1e9;
  private static final double[] DECADES_NS = {
    1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 6e10, 6e11, 3.6e12, 3.6e13, 3.6e14
  };
  private static final double[] MARKS_NS = {
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6,
    1e7, 2e7, 5e7, 1e8, 2e8, 5e8, 1e9, 2e9, 5e9, 1e10, 2e10, 6e10, 1.2e11, 3e11, 6e11, 1.2e12,
    3.6e12, 7.2e12, 1.8e13, 3.6e13, 8.64e13, 3.6e14
  };

  private final String label;
  private final double low;
  private final double high;
  private final boolean logarithmic;
  private final List<Tick> ticks;

  private Axis(String label, double low, double high, boolean logarithmic, List<Tick> ticks) {
    this.label = label;
    this.low = low;
    this.high = high;
    this.logarithmic = logarithmic;
    this.ticks = ticks;
  }

  /** A mark on an axis. */
  public record Tick(double value, String text) {}

  /** Equal steps from {@code low} to {@code high}. */
  public static Axis linear(
      String label, double low, double high, int marks, DoubleFunction<String> text) {
    final double top = high > low ? high : low + 1;
    return new Axis(label, low, top, false, marksOf(low, top, niceStep(top - low, marks), text));
  }

  /** From 0 to a little more than {@code high}, up to the next mark. */
  public static Axis fromZero(String label, double high, int marks, DoubleFunction<String> text) {
    final double top = high > 0 ? high : 1;
    final double step = niceStep(top, marks);
    return linear(label, 0, Math.ceil(top / step - 1e-9) * step, marks, text);
  }

  /** Whole numbers of things from 0 to {@code high}; no mark lies between two numbers. */
  public static Axis counts(String label, double high, int marks, DoubleFunction<String> text) {
    final double top = high > 0 ? high : 1;
    final double step = Math.max(1, niceStep(top, marks));
    return new Axis(label, 0, top, false, marksOf(0, top, step, text));
  }

  /** As {@link #counts}, up to the next mark. */
  public static Axis countsFromZero(
      String label, double high, int marks, DoubleFunction<String> text) {
    final double step = Math.max(1, niceStep(high > 0 ? high : 1, marks));
    final double top = Math.max(1, Math.ceil(high / step - 1e-9)) * step;
    return new Axis(label, 0, top, false, marksOf(0, top, step, text));
  }

  /** Nanoseconds since the start of the run. */
  public static Axis time(String label, double lowNs, double highNs, int marks) {
    final double spanS = Math.max(1, highNs - lowNs) / NS_PER_S;
    double step = niceStep(spanS, marks);
    if (spanS / marks > 30) {
      step = TIME_STEPS_S[TIME_STEPS_S.length - 1];
      for (int i = TIME_STEPS_S.length - 1; i >= 0; i--) {
        step = TIME_STEPS_S[i] >= spanS / marks ? TIME_STEPS_S[i] : step;
      }
    }
    final double top = Math.max(highNs, lowNs + 1);
    return new Axis(label, lowNs, top, false, marksOf(lowNs, top, step * NS_PER_S, Human::mark));
  }

  /** Equal factors of a time in ns, marked where people would mark it. */
  public static Axis logTime(String label, double lowNs, double highNs) {
    final double bottom = Math.max(lowNs, 1);
    final double top = Math.max(highNs, bottom * 1.01);
    final boolean wide = Math.log10(top / bottom) > 3.5;
    final List<Tick> ticks = new ArrayList<>();
    double previous = 0;
    for (double mark : wide ? DECADES_NS : MARKS_NS) {
      if (mark >= bottom * 0.999 && mark <= top * 1.001 && mark > previous) {
        ticks.add(new Tick(mark, Human.mark(mark)));
        previous = mark;
      }
    }
    return new Axis(label, bottom, top, true, ticks);
  }

  /** Position of a value; outside [0, 1] if the axis does not reach it. */
  public double position(double value) {
    return logarithmic
        ? Math.log(Math.max(value, low / 2) / low) / Math.log(high / low)
        : (value - low) / (high - low);
  }

  /** What it measures. */
  public String label() {
    return label;
  }

  /** Its marks. */
  public List<Tick> ticks() {
    return ticks;
  }

  /** Where it begins. */
  public double low() {
    return low;
  }

  /** Where it ends. */
  public double high() {
    return high;
  }

  private static double niceStep(double span, int marks) {
    final double rough = span / marks;
    final double power = Math.pow(10, Math.floor(Math.log10(rough)));
    final double factor = rough / power;
    return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
  }

  private static List<Tick> marksOf(
      double low, double high, double step, DoubleFunction<String> text) {
    final List<Tick> ticks = new ArrayList<>();
    for (long i = (long) Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); i++) {
      ticks.add(new Tick(i * step, text.apply(i * step)));
    }
    return ticks;
  }
}
