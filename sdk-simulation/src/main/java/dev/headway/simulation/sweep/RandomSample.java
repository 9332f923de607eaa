package dev.headway.simulation.sweep;

import dev.headway.simulation.workload.RandomStream;

/**
 * A sample of random cells instead of a grid.
 *
 * @param samples how many, >= 1
 * @param seed equal seeds draw equal cells
 */
public record RandomSample(int samples, long seed) {

  /** A cell's value on an axis, whatever other axes and cells there are. */
  String value(SweepAxis axis, int cell) {
    return axis.draw(RandomStream.of(seed, "sweep/" + axis.name() + "/" + cell));
  }
}
