package dev.headway.cli.simulate;

import dev.headway.simulation.compare.Bootstrap.Interval;
import dev.headway.simulation.compare.FleetMetric;
import java.util.List;
import java.util.Map;

/**
 * What came of a study: a point for each load, arrival pattern, rate and router.
 *
 * @param points in the order in which they ran
 * @param setting instances and delay, in words
 */
record RouteStudy(List<Point> points, String setting) {

  /**
   * One run.
   *
   * @param load what reports call the load
   * @param arrival the pattern of arrivals, {@code as-is} for the load's own
   * @param rateScale how many times as fast requests arrive as in the load
   * @param router the routing policy as it was written
   * @param figures by metric
   */
  record Point(
      String load,
      String arrival,
      double rateScale,
      String router,
      Map<FleetMetric, Interval> figures) {

    Interval figure(FleetMetric metric) {
      return figures.getOrDefault(metric, new Interval(Double.NaN, Double.NaN, Double.NaN));
    }
  }

  /** The curves of one load and pattern: the same in both, at every rate. */
  List<Point> of(String load, String arrival) {
    return points.stream()
        .filter(point -> point.load.equals(load) && point.arrival.equals(arrival))
        .toList();
  }

  List<String> loads() {
    return points.stream().map(Point::load).distinct().toList();
  }

  List<String> arrivals() {
    return points.stream().map(Point::arrival).distinct().toList();
  }

  List<String> routers() {
    return points.stream().map(Point::router).distinct().toList();
  }
}
