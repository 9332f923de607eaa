package dev.headway.cli.sweep;

import dev.headway.cli.simulate.CellOptions;
import dev.headway.simulation.sweep.CapacitySearch;
import dev.headway.simulation.sweep.RandomSample;
import dev.headway.simulation.sweep.ServiceLimits;
import dev.headway.simulation.sweep.SweepAxis;
import dev.headway.simulation.sweep.SweepCells;
import dev.headway.simulation.sweep.SweepPlan;
import dev.headway.simulation.sweep.SweepTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A plan that was read, and what runs it. Immutable; any thread. A process elsewhere gets the same
 * job from {@link #text} and {@link #base}.
 */
public final class SweepJob {

  private final String name;
  private final String text;
  private final SweepPlan plan;
  private final CellOptions.Common common;
  private final SweepTable table;

  SweepJob(String name, String text, SweepPlan plan, CellOptions.Common common) {
    this.name = name;
    this.text = text;
    this.plan = plan;
    this.common = common;
    this.table = new SweepTable(plan, common.fixed());
  }

  /**
   * Reads a plan; its directory is what paths in it are relative to.
   *
   * @throws PlanException naming the line that makes no sense
   * @throws IOException if the file cannot be read
   */
  public static SweepJob read(Path file) throws IOException {
    final Path absolute = file.toAbsolutePath().normalize();
    final Path base = absolute.getParent();
    if (base == null) {
      throw new IOException("a plan must be a file: file=" + file);
    }
    return of(String.valueOf(file.getFileName()), Files.readString(file), base);
  }

  /**
   * Reads the text of a plan.
   *
   * @param name of its file, for messages
   * @param base what paths in it are relative to, absolute
   * @throws PlanException naming the line that makes no sense
   */
  public static SweepJob of(String name, String text, Path base) {
    return PlanReader.read(name, text, base);
  }

  /** The name of the file. */
  public String name() {
    return name;
  }

  /** The file's text. */
  public String text() {
    return text;
  }

  /** What paths in the plan are relative to; absolute. */
  public Path base() {
    return common.base();
  }

  /** Its cells. */
  public SweepPlan plan() {
    return plan;
  }

  /** The columns of its rows. */
  public SweepTable table() {
    return table;
  }

  /**
   * What runs its cells.
   *
   * @param remarks gets what was left out of loads; any thread
   */
  public SweepCells cells(Consumer<String> remarks) {
    return new SweepCells(plan, table, CellOptions.source(common, remarks));
  }

  /** The plan for {@code manifest.json}: equal plans give equal values, comments aside. */
  Map<String, Object> asJson() {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("options", new TreeMap<>(common.fixed()));
    json.put("axes", plan.axes().stream().map(SweepJob::axis).toList());
    final RandomSample random = plan.random();
    if (random != null) {
      json.put("random", Map.of("samples", random.samples(), "seed", random.seed()));
    }
    final ServiceLimits limits = common.limits();
    if (limits != null) {
      final Map<String, Object> values = new LinkedHashMap<>();
      values.put("ttft_ns", limits.slo().ttftNs());
      values.put("tpot_ns", limits.slo().itlNs());
      values.put("share", limits.share());
      json.put("limits", values);
    }
    final CapacitySearch capacity = plan.capacity();
    if (capacity != null) {
      final Map<String, Object> values = new LinkedHashMap<>();
      values.put("parameter", capacity.parameter());
      values.put("min", capacity.min());
      values.put("max", capacity.max());
      values.put("tolerance", capacity.tolerance());
      json.put("capacity", values);
    }
    if (!common.prices().isEmpty()) {
      json.put("price_per_gpu_hour", new TreeMap<>(common.prices()));
    }
    return json;
  }

  private static Map<String, Object> axis(SweepAxis axis) {
    final Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", axis.name());
    switch (axis) {
      case SweepAxis.Listed listed -> json.put("values", listed.values());
      case SweepAxis.Range range ->
          json.put("range", List.of(range.min(), range.max(), range.scale().name()));
    }
    return json;
  }
}
