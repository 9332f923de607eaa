package dev.headway.cli.sweep;

import dev.headway.cli.simulate.CellOptions;
import dev.headway.simulation.compare.Measures;
import dev.headway.simulation.sweep.CapacitySearch;
import dev.headway.simulation.sweep.RandomSample;
import dev.headway.simulation.sweep.ServiceLimits;
import dev.headway.simulation.sweep.SweepAxis;
import dev.headway.simulation.sweep.SweepAxis.Range.Scale;
import dev.headway.simulation.sweep.SweepPlan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns the text of a plan into a job. One thread, once. */
final class PlanReader {

  private static final double NS_PER_MS = 1e6;
  private static final double USUAL_SHARE = 0.99;
  private static final double USUAL_TOLERANCE = 0.05;
  private static final String POLICY = "policy";
  private static final String USUAL_POLICY = "fcfs";

  private final String file;
  private final Set<String> names = CellOptions.names();

  private PlanReader(String file) {
    this.file = file;
  }

  /** The plan in a text; relative paths in it are relative to {@code base}. */
  static SweepJob read(String file, String text, Path base) {
    return new PlanReader(file).job(text, base);
  }

  private SweepJob job(String text, Path base) {
    final PlanFields fields = PlanFields.of(file, "a plan", YamlTree.read(file, text));
    final PlanNode load = fields.take("load");
    final Map<String, String> fixed = fixed(load, fields.take("options"));
    final SweepPlan plan = plan(fields);
    final ServiceLimits limits = limits(fields.take("limits"));
    final Map<String, Double> prices = prices(fields.take("price_per_gpu_hour"));
    fields.requireNoOthers();
    requireLoad(fields, plan, fixed);
    requireApart(fields, plan, fixed);
    if (plan.axes().stream().noneMatch(axis -> axis.name().equals(POLICY))) {
      fixed.putIfAbsent(POLICY, usualPolicy(base, fixed)); // a column of every sweep
    }
    if (plan.capacity() != null && limits == null) {
      throw new PlanException(
          file, fields.line(), "capacity needs limits: ttft_ms, tpot_ms or both");
    }
    return new SweepJob(file, text, plan, new CellOptions.Common(base, fixed, limits, prices));
  }

  /** The recorded policy where the load is a journal. */
  private static String usualPolicy(Path base, Map<String, String> fixed) {
    return CellOptions.recordedOptions(base, fixed).getOrDefault(POLICY, USUAL_POLICY);
  }

  /** What all cells have. */
  private Map<String, String> fixed(@Nullable PlanNode load, @Nullable PlanNode options) {
    final Map<String, String> fixed = new LinkedHashMap<>();
    if (load != null) {
      fixed.put(CellOptions.LOAD, value(CellOptions.LOAD, load));
    }
    if (options != null) {
      PlanFields.of(file, "options", options)
          .takeAll()
          .forEach(
              (key, node) -> {
                requireKnown(key);
                if (key.text().equals(CellOptions.LOAD)) {
                  throw new PlanException(
                      file, key.line(), "load must be a key of the plan itself");
                }
                fixed.put(key.text(), value(key.text(), node));
              });
    }
    return fixed;
  }

  private String value(String what, PlanNode node) {
    final String text = PlanFields.text(file, what, node);
    if (text.isEmpty() || text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0) {
      throw new PlanException(file, node.line(), what + " must be a value in one line");
    }
    return text;
  }

  private void requireKnown(PlanNode.Text key) {
    final boolean ofLoad =
        key.text().startsWith(CellOptions.OF_LOAD)
            && key.text().length() > CellOptions.OF_LOAD.length();
    if (!ofLoad && !names.contains(key.text())) {
      throw new PlanException(file, key.line(), PlanFields.unknown("option", key.text(), names));
    }
  }

  private SweepPlan plan(PlanFields fields) {
    final PlanNode grid = fields.take("grid");
    final PlanNode random = fields.take("random");
    final CapacitySearch capacity = capacity(fields.take("capacity"));
    if (grid != null && random != null) {
      throw new PlanException(file, random.line(), "a plan must have one of grid and random");
    }
    if (random != null) {
      return random(random, capacity);
    }
    final List<SweepAxis> axes =
        grid == null ? List.of() : axes(PlanFields.of(file, "grid", grid).takeAll());
    return at(
        grid == null ? fields.line() : grid.line(), () -> new SweepPlan(axes, null, capacity));
  }

  private SweepPlan random(PlanNode node, @Nullable CapacitySearch capacity) {
    final PlanFields fields = PlanFields.of(file, "random", node);
    final double samples = fields.requiredNumber("samples");
    final long seed = fields.whole("seed", 1);
    final PlanNode parameters = fields.take("parameters");
    fields.requireNoOthers();
    if (parameters == null) {
      throw new PlanException(file, fields.line(), "the key parameters is needed: what is drawn");
    }
    if (samples != Math.rint(samples) || samples < 1 || samples > SweepPlan.MOST_CELLS) {
      throw new PlanException(
          file,
          fields.line(),
          "samples must be a whole number in [1, " + SweepPlan.MOST_CELLS + "]");
    }
    final List<SweepAxis> axes = axes(PlanFields.of(file, "parameters", parameters).takeAll());
    return at(
        node.line(), () -> new SweepPlan(axes, new RandomSample((int) samples, seed), capacity));
  }

  private List<SweepAxis> axes(Map<PlanNode.Text, PlanNode> nodes) {
    final List<SweepAxis> axes = new ArrayList<>();
    nodes.forEach(
        (key, node) -> {
          requireKnown(key);
          axes.add(at(node.line(), () -> axis(key.text(), node)));
        });
    return axes;
  }

  private SweepAxis axis(String name, PlanNode node) {
    return switch (node) {
      case PlanNode.Items items ->
          new SweepAxis.Listed(name, items.nodes().stream().map(n -> value(name, n)).toList());
      case PlanNode.Fields fields -> range(name, fields);
      case PlanNode.Text text ->
          throw new PlanException(
              file,
              text.line(),
              name + " must be a list of values; one value for all cells belongs into options");
    };
  }

  private SweepAxis range(String name, PlanNode.Fields node) {
    final PlanFields fields = PlanFields.of(file, name, node);
    final String min = fields.requiredText("min");
    final String max = fields.requiredText("max");
    final String scale = fields.text("scale");
    fields.requireNoOthers();
    if (scale != null && !scale.equals("log") && !scale.equals("linear")) {
      throw new PlanException(
          file, node.line(), "scale must be linear or log: " + name + ".scale=" + scale);
    }
    return new SweepAxis.Range(name, min, max, "log".equals(scale) ? Scale.LOG : Scale.LINEAR);
  }

  private @Nullable CapacitySearch capacity(@Nullable PlanNode node) {
    if (node == null) {
      return null;
    }
    final PlanFields fields = PlanFields.of(file, "capacity", node);
    final PlanNode parameter = fields.take("parameter");
    if (parameter == null) {
      throw new PlanException(
          file, fields.line(), "the key parameter is needed: rate-scale or load.rate as a rule");
    }
    final String name = value("parameter", parameter);
    requireKnown(new PlanNode.Text(parameter.line(), name));
    final double min = fields.requiredNumber("min");
    final double max = fields.requiredNumber("max");
    final double tolerance = fields.number("tolerance", USUAL_TOLERANCE);
    fields.requireNoOthers();
    return at(node.line(), () -> new CapacitySearch(name, min, max, tolerance));
  }

  private @Nullable ServiceLimits limits(@Nullable PlanNode node) {
    if (node == null) {
      return null;
    }
    final PlanFields fields = PlanFields.of(file, "limits", node);
    final long ttftNs = limitNs(fields, "ttft_ms");
    final long tpotNs = limitNs(fields, "tpot_ms");
    if (ttftNs == Measures.Slo.NO_LIMIT && tpotNs == Measures.Slo.NO_LIMIT) {
      throw new PlanException(
          file, fields.line(), "limits must have one of the keys ttft_ms and tpot_ms, or both");
    }
    final double share = fields.number("share", USUAL_SHARE);
    fields.requireNoOthers();
    return at(node.line(), () -> new ServiceLimits(new Measures.Slo(ttftNs, tpotNs), share));
  }

  private long limitNs(PlanFields fields, String key) {
    final double ms = fields.number(key, Double.NaN);
    if (Double.isNaN(ms)) {
      return Measures.Slo.NO_LIMIT;
    }
    if (!(ms > 0 && ms <= 1e9)) {
      throw new PlanException(file, fields.line(), key + " must be in (0, 1e9]: " + key + "=" + ms);
    }
    return Math.round(ms * NS_PER_MS);
  }

  /** By the name of the GPU, or one for all under no name. */
  private Map<String, Double> prices(@Nullable PlanNode node) {
    final Map<String, Double> prices = new LinkedHashMap<>();
    if (node instanceof PlanNode.Fields fields) {
      fields.nodes().forEach((key, price) -> prices.put(key.text(), price(key.text(), price)));
    } else if (node != null) {
      prices.put("", price("price_per_gpu_hour", node));
    }
    return prices;
  }

  private double price(String key, PlanNode node) {
    final String text = PlanFields.text(file, key, node);
    try {
      final double price = Double.parseDouble(text);
      if (price >= 0 && price < Double.POSITIVE_INFINITY) {
        return price;
      }
    } catch (NumberFormatException e) {
      // falls through to the same message: a price is a number
    }
    throw new PlanException(file, node.line(), key + " must be a number >= 0: " + key + "=" + text);
  }

  private void requireLoad(PlanFields fields, SweepPlan plan, Map<String, String> fixed) {
    final boolean varies = plan.axes().stream().anyMatch(a -> a.name().equals(CellOptions.LOAD));
    if (!varies && !fixed.containsKey(CellOptions.LOAD)) {
      throw new PlanException(
          file, fields.line(), "the key load is needed: a trace, or a made-up load");
    }
  }

  /** One value for all cells and a list of values would contradict each other. */
  private void requireApart(PlanFields fields, SweepPlan plan, Map<String, String> fixed) {
    final List<String> varied = new ArrayList<>();
    plan.axes().forEach(axis -> varied.add(axis.name()));
    if (plan.capacity() != null) {
      varied.add(plan.capacity().parameter());
    }
    for (String name : varied) {
      if (fixed.containsKey(name)) {
        throw new PlanException(
            file, fields.line(), "a parameter must be fixed or vary, not both: " + name);
      }
    }
  }

  /** A value's own check, with the place it came from. */
  private <T> T at(int line, Supplier<T> make) {
    try {
      return make.get();
    } catch (PlanException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw new PlanException(file, line, String.valueOf(e.getMessage()));
    }
  }
}
