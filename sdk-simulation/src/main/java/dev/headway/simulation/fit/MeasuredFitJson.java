package dev.headway.simulation.fit;

import dev.headway.simulation.calibrate.LatencyMetric;
import dev.headway.simulation.model.LaunchMode;
import dev.headway.simulation.run.EngineSettings;
import java.util.function.Function;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What a fit to measured requests says besides the coefficients of a step. Stateless. */
final class MeasuredFitJson {

  /** No part of a step: what is before the queue. */
  static final String ARRIVAL = "arrival_to_queue_ns";

  private MeasuredFitJson() {}

  static void put(ObjectNode root, MeasuredStepFit fit) {
    root.put("fitted_to", "measured requests");
    root.put("training_share", fit.share());
    root.put("simulations", fit.simulations());
    root.put("refused_in_simulation", fit.refused());
    final ArrayNode runs = root.putArray("runs");
    fit.runs().forEach(run -> put(runs.addObject(), run, fit));
    final ArrayNode numbers = root.putArray("numbers");
    for (FittedNumber number : fit.numbers()) {
      if (number.name().equals(StepNumbers.ARRIVAL)) {
        root.put(ARRIVAL, Math.round(number.value()));
      }
      final ObjectNode node = numbers.addObject();
      node.put("name", number.name());
      node.put("unit", number.isFactor() ? "" : "ns");
      node.put("value", number.value());
      node.put("low", number.low());
      node.put("high", number.high());
      node.put("prior", number.prior());
      node.put("share_from_requests", number.told());
    }
    final ArrayNode confused = root.putArray("hardly_distinguished");
    for (FittedNumber.Confused pair : fit.confused()) {
      final ObjectNode node = confused.addObject();
      node.putArray("numbers").add(pair.one()).add(pair.other());
      node.put("correlation", pair.correlation());
    }
    put(root.putObject("trained"), fit::trained);
    put(root.putObject("held_out"), fit::held);
  }

  private static void put(ObjectNode node, MeasuredRun run, MeasuredStepFit fit) {
    node.put("label", run.label());
    node.put("model", fit.pass().model().toString());
    node.put("gpu", fit.gpu().name());
    node.put("tensor_parallel_size", fit.pass().parallelism().tensor());
    node.put("enforce_eager", fit.pass().launchMode() == LaunchMode.EAGER);
    if (fit.kernels() != null) {
      node.put("kernels", fit.kernels().toString());
    }
    node.put("requests", run.size());
    final EngineSettings engine = run.engine();
    node.put("max_num_seqs", engine.config().limits().maxNumSeqs());
    node.put("max_num_batched_tokens", engine.config().limits().maxNumBatchedTokens());
    node.put("num_blocks", engine.kvCache().numBlocks());
    final ObjectNode omitted = node.putObject("rows_left_out");
    run.omittedByReason().forEach(omitted::put);
  }

  private static void put(ObjectNode node, Function<LatencyMetric, MeasuredQuality> quality) {
    for (LatencyMetric metric : LatencyMetric.values()) {
      final MeasuredQuality of = quality.apply(metric);
      if (of.requests() > 0) {
        final ObjectNode one = node.putObject(metric.label());
        one.put("requests", of.requests());
        one.put("measured_mean_ns", of.measuredNs());
        one.put("simulated_mean_ns", of.simulatedNs());
        one.put("bias", of.bias());
        one.put("mean_error", of.meanError());
      }
    }
  }
}
