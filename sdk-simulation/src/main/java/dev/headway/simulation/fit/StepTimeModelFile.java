package dev.headway.simulation.fit;

import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A fitted model as JSON: coefficients by name, what they were fitted on, and how good they are.
 */
public final class StepTimeModelFile {

  private static final String FORMAT = "headway-step-model";
  private static final int SCHEMA_VERSION = 1;
  private static final JsonMapper JSON = JsonMapper.shared();

  private StepTimeModelFile() {}

  /**
   * Writes a fit.
   *
   * @param pass what it was fitted for
   * @param steps what it was fitted on
   */
  public static void write(
      Path file, StepTimeFit fit, ForwardPass pass, GpuSpec gpu, TrainingSteps steps)
      throws IOException {
    final ObjectNode root = JSON.createObjectNode();
    root.put("format", FORMAT);
    root.put("schema_version", SCHEMA_VERSION);
    root.put("model", pass.model().toString());
    root.put("gpu", gpu.name());
    root.put("tensor_parallel_size", pass.parallelism().tensor());
    final ObjectNode coefficients = root.putObject("coefficients");
    for (Term term : Term.values()) {
      final ObjectNode coefficient = coefficients.putObject(term.label());
      coefficient.put("value", fit.model().coefficient(term));
      coefficient.put("unit", term.isPhysical() ? "times the peak's" : "ns");
      coefficient.put("seen", !fit.unseen().contains(term));
    }
    put(root.putObject("trained"), fit.trained());
    put(root.putObject("held_out"), fit.held());
    final ObjectNode omitted = root.putObject("rows_left_out");
    steps.omitted().forEach((reason, count) -> omitted.put(reason.label(), count));
    Files.writeString(file, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
  }

  private static void put(ObjectNode node, FitQuality quality) {
    node.put("steps", quality.steps());
    node.put("r2", quality.r2());
    node.put("mean_error", quality.meanError());
    node.put("median_error", quality.medianError());
    node.put("p90_error", quality.p90Error());
    node.put("bias", quality.bias());
  }

  /**
   * Reads a model for the device that it was fitted on.
   *
   * @throws IOException if it is not such a file, or is of another model, device or number of
   *     devices; names what
   */
  public static StepTimeModel read(Path file, ForwardPass pass, GpuSpec gpu) throws IOException {
    final JsonNode root;
    try {
      root = JSON.readTree(Files.readString(file));
    } catch (JacksonException e) {
      throw new IOException(file + " must be JSON: " + e.getOriginalMessage(), e);
    }
    require(file, "format", FORMAT, root.path("format").asString(""));
    require(
        file,
        "schema_version",
        Integer.toString(SCHEMA_VERSION),
        root.path("schema_version").asString(""));
    require(file, "model", pass.model().toString(), root.path("model").asString(""));
    require(file, "gpu", gpu.name(), root.path("gpu").asString(""));
    require(
        file,
        "tensor_parallel_size",
        Integer.toString(pass.parallelism().tensor()),
        root.path("tensor_parallel_size").asString(""));
    final double[] coefficients = new double[Term.values().length];
    int index = 0;
    for (Term term : Term.values()) {
      final JsonNode value = root.path("coefficients").path(term.label()).path("value");
      if (!value.isNumber()) {
        throw new IOException(file + " must have a number at coefficients." + term.label());
      }
      coefficients[index++] = value.doubleValue();
    }
    try {
      return new StepTimeModel(pass, gpu, coefficients);
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  private static void require(Path file, String field, String expected, String found)
      throws IOException {
    if (!expected.equals(found)) {
      throw new IOException(
          file + " must be of this " + field + ": expected=" + expected + ", found=" + found);
    }
  }
}
