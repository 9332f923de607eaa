package dev.headway.toolbox.chart;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts points of a picture in hexagons. */
final class HexBins {

  private final double radius;
  private final Map<Long, Integer> counts = new HashMap<>();
  private int most;

  /** Hexagons of that radius, in units of the picture. */
  HexBins(double radius) {
    this.radius = radius;
  }

  /** A hexagon with points in it. */
  record Hexagon(double x, double y, int count) {}

  /** Adds a point of the picture. */
  void add(double x, double y) {
    final double dx = radius * Math.sqrt(3);
    final double dy = radius * 1.5;
    final long rowA = Math.round(y / dy);
    final long columnA = Math.round((x - offset(rowA, dx)) / dx);
    final long rowB = y > rowA * dy ? rowA + 1 : rowA - 1;
    final long columnB = Math.round((x - offset(rowB, dx)) / dx);
    final boolean nearerB =
        distance(x, y, rowB, columnB, dx, dy) < distance(x, y, rowA, columnA, dx, dy);
    final long row = nearerB ? rowB : rowA;
    final long column = nearerB ? columnB : columnA;
    most = Math.max(most, counts.merge((row << 32) | (column & 0xFFFFFFFFL), 1, Integer::sum));
  }

  /** The hexagons. */
  List<Hexagon> hexagons() {
    final double dx = radius * Math.sqrt(3);
    final List<Hexagon> hexagons = new ArrayList<>();
    counts.forEach(
        (key, count) -> {
          final long row = key >> 32;
          final long column = key.intValue();
          hexagons.add(new Hexagon(column * dx + offset(row, dx), row * radius * 1.5, count));
        });
    hexagons.sort(
        (a, b) -> a.y() == b.y() ? Double.compare(a.x(), b.x()) : Double.compare(a.y(), b.y()));
    return hexagons;
  }

  /** The most points in a hexagon. */
  int most() {
    return most;
  }

  private static double offset(long row, double dx) {
    return (row & 1) == 0 ? 0 : dx / 2;
  }

  private static double distance(double x, double y, long row, long column, double dx, double dy) {
    return Math.hypot(x - column * dx - offset(row, dx), y - row * dy);
  }
}
