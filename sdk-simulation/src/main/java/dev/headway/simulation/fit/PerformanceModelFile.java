package dev.headway.simulation.fit;

import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.LaunchMode;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Coefficient.Status;
import dev.headway.simulation.regression.Feature;
import dev.headway.simulation.regression.FitQuality;
import dev.headway.simulation.step.OperatorTimes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A fitted model as JSON: each part apart with its coefficients by name, what they were fitted on,
 * and how good they are. Equal fits make equal files.
 */
public final class PerformanceModelFile {

  private static final String FORMAT = "headway-performance-model";
  private static final int SCHEMA_VERSION = 1;
  private static final String ELSEWHERE = "other_devices";
  private static final String SKEW = "routing_skew";
  private static final String KV_CACHE = "kv_cache";
  private static final JsonMapper JSON = JsonMapper.shared();

  private PerformanceModelFile() {}

  /**
   * Writes a fit.
   *
   * @param fit of step times; null if no steps were recorded, and then no simulation can use it
   * @param queueing of the same runs; null if it was not fitted
   * @param requests of measured requests; null if it was not fitted
   */
  public static void write(
      Path file,
      @Nullable StepTimeFit fit,
      @Nullable QueueingFit queueing,
      @Nullable RequestTimeFit requests)
      throws IOException {
    final ObjectNode root = JSON.createObjectNode();
    root.put("format", FORMAT);
    root.put("schema_version", SCHEMA_VERSION);
    if (fit != null) {
      root.put("form", fit.form().label());
      root.put("training_share", fit.share());
      final ArrayNode runs = root.putArray("runs");
      fit.runs().forEach(run -> put(runs.addObject(), run));
    }
    if (queueing != null) {
      RequestTermsJson.put(root, queueing);
    }
    if (requests != null) {
      RequestTermsJson.put(root, requests);
    }
    if (fit != null) {
      for (FittedPart part : fit.parts()) {
        final ObjectNode node = root.putObject(part.part().label());
        put(node, part);
        put(node.putObject("cross_validation"), fit.tuning(part.part()));
        put(node.putArray("coefficients"), part.coefficients());
      }
      putPhysics(root, fit.physics());
      putTested(root, fit);
    }
    Files.writeString(file, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
  }

  /** Writes a fit to measured requests. */
  public static void write(Path file, MeasuredStepFit fit) throws IOException {
    final ObjectNode root = JSON.createObjectNode();
    root.put("format", FORMAT);
    root.put("schema_version", SCHEMA_VERSION);
    root.put("form", StepTimeForm.PHYSICS.label());
    MeasuredFitJson.put(root, fit);
    final FittedPart part = fit.part();
    final ObjectNode node = root.putObject(part.part().label());
    node.put("unit", "ns");
    node.put("features_hash", hash(part.coefficients()));
    put(node.putArray("coefficients"), part.coefficients());
    put(root.putObject("steps_fitted"), fit.range());
    Files.writeString(file, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
  }

  private static void put(ObjectNode node, StepRange range) {
    node.put("fewest_requests", range.fewestRequests());
    node.put("requests", range.requests());
    node.put("prefill_tokens", range.prefillTokens());
    node.put("twice_prefill_pairs", range.prefillPairs());
    node.put("decode_context_tokens", range.decodeContextTokens());
    node.put("longest_decode_context", range.longestDecodeContext());
    node.put("transferred_blocks", range.transferredBlocks());
  }

  private static void put(ObjectNode node, RecordedRun run) {
    final RecordedSteps steps = run.steps();
    node.put("label", steps.label());
    final ModelSpec model = run.pass().model();
    node.put("model", model.toString());
    if (model.kvCache() != model.activations()) {
      node.put(KV_CACHE, model.kvCache().label());
    }
    node.put("gpu", run.gpu().name());
    node.put("tensor_parallel_size", run.pass().parallelism().tensor());
    node.put("enforce_eager", run.pass().launchMode() == LaunchMode.EAGER);
    if (run.kernels() != null) {
      node.put("kernels", run.kernels().toString());
    }
    if (run.skew().steps() > 0) {
      node.put(SKEW, run.skew().value());
      node.put("steps_with_experts", run.skew().steps());
      node.put("experts_mean_error", run.skew().meanError());
    }
    node.put("steps", steps.size());
    node.put("recorded_from_ns", steps.beginNs(0));
    node.put("recorded_to_ns", steps.beginNs(steps.size() - 1));
    final ObjectNode omitted = node.putObject("rows_left_out");
    steps.omitted().forEach((reason, count) -> omitted.put(reason.label(), count));
  }

  /** What other devices and models are predicted with, where pieces were fitted to this one. */
  private static void putPhysics(ObjectNode root, @Nullable FittedSteps physics) {
    if (physics != null) {
      final ObjectNode others = root.putObject(ELSEWHERE);
      others.put("form", StepTimeForm.PHYSICS.label());
      for (FittedPart part : physics.parts()) {
        final ObjectNode node = others.putObject(part.part().label());
        put(node, part);
        put(node.putArray("coefficients"), part.coefficients());
      }
      put(others, physics.correction());
    }
  }

  private static void put(ObjectNode node, FittedPart part) {
    node.put("unit", "ns");
    node.put("features_hash", hash(part.coefficients()));
    if (part.settings().sharpness() != Double.POSITIVE_INFINITY) {
      node.put("sharpness", part.settings().sharpness());
    }
    if (part.form() == StepTimeForm.PIECEWISE && part.part() != StepPart.HOST) {
      part.settings().classes().upTo().forEach(node.putArray("classes_of_decodes")::add);
    }
    node.put("condition_number", part.conditionNumber());
  }

  private static void put(ObjectNode validation, Tuning tuning) {
    validation.put("mean_error", tuning.error().meanError());
    validation.put("standard_error", tuning.error().standardError());
    if (!Double.isNaN(tuning.error().loadError())) {
      validation.put("mean_error_of_other_loads", tuning.error().loadError());
    }
    if (tuning.tried().size() > 1) {
      final ArrayNode tried = validation.putArray(tuning.name());
      for (Tuning.Trial trial : tuning.tried()) {
        final ObjectNode one = tried.addObject();
        one.put("value", trial.value() == Double.POSITIVE_INFINITY ? "max" : text(trial.value()));
        one.put("mean_error", trial.error().meanError());
      }
    }
  }

  private static void put(ObjectNode root, @Nullable ResidualCorrection correction) {
    if (correction != null) {
      final ArrayNode values = root.putArray("correction");
      Arrays.stream(correction.coefficients()).forEach(values::add);
    }
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, "%.3g", value);
  }

  static void put(ArrayNode array, List<Coefficient> coefficients) {
    for (Coefficient coefficient : coefficients) {
      final ObjectNode node = array.addObject();
      node.put("name", coefficient.feature().name());
      node.put("per", coefficient.feature().unit());
      node.put("value", coefficient.value());
      if (!Double.isNaN(coefficient.standardError())) {
        node.put("standard_error", coefficient.standardError());
      }
      node.put("status", coefficient.status().label());
    }
  }

  /** Of names and units, so that coefficients never meet other features. */
  private static String hash(List<Coefficient> coefficients) {
    final StringBuilder text = new StringBuilder();
    for (Coefficient coefficient : coefficients) {
      text.append(coefficient.feature().name()).append('|');
      text.append(coefficient.feature().unit()).append('\n');
    }
    return hash(text.toString());
  }

  private static String hash(String text) {
    try {
      final byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(Arrays.copyOf(digest, 8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static void putTested(ObjectNode root, StepTimeFit fit) {
    put(root, fit.correction());
    put(root.putObject("steps_fitted"), fit.range());
    putBands(root.putObject("measured_over_predicted"), fit.bands());
    put(root.putObject("trained"), fit.trained().all());
    final ObjectNode held = root.putObject("held_out");
    put(held, fit.held().all());
    if (!Double.isNaN(fit.held().inBand())) {
      held.put("in_band", fit.held().inBand());
    }
    held.put("drift_at_step", fit.held().driftAt());
    fit.held().byRegime().forEach((regime, all) -> put(held.putObject(regime.label()), all));
    final ObjectNode leftOut = root.putObject("run_left_out");
    fit.leftOut().forEach((label, quality) -> put(leftOut.putObject(label), quality.all()));
  }

  private static void putBands(ObjectNode node, ErrorBands bands) {
    bands.inside().forEach((regime, band) -> put(node.putObject(regime.label()), band));
    if (!Double.isNaN(bands.outside().low())) {
      final ObjectNode outside = node.putObject("outside");
      put(outside, bands.outside());
      outside.put("octaves", bands.octaves());
    }
  }

  private static void put(ObjectNode node, ErrorBand band) {
    node.put("p5", band.low()).put("p95", band.high());
  }

  private static void put(ObjectNode node, FitQuality quality) {
    node.put("steps", quality.rows());
    node.put("r2", quality.r2());
    node.put("rmse_ns", quality.rmse());
    node.put("mean_error", quality.meanError());
    node.put("median_error", quality.medianError());
    node.put("p90_error", quality.p90Error());
    node.put("bias", quality.bias());
    node.put("autocorrelation", quality.autocorrelation());
  }

  /**
   * A model that was read.
   *
   * @param stepTime for the model and the device that it was asked for
   * @param recordedOn what it was fitted on, as {@code model on n x gpu}
   * @param isTransferred whether that is another model or device than it is asked for
   */
  public record Loaded(FittedStepTime stepTime, List<String> recordedOn, boolean isTransferred) {}

  /**
   * Reads a model for a device, the recorded one or another: coefficients of physics are shares of
   * its peaks.
   *
   * @param kernels measured operators, if the model was fitted on such
   * @throws IOException if it is not such a file; names the field
   * @throws IllegalArgumentException if the file needs kernels that are not given, or the reverse;
   *     or if its kernels were started in another way than those of the pass
   */
  public static Loaded read(
      Path file, ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels)
      throws IOException {
    final JsonNode root = tree(file);
    requireSteps(file, root);
    requireLaunches(file, root, pass);
    return read(file, root, routed(file, root, pass), gpu, kernels);
  }

  /** A router goes with its model, whatever the device: its skew is taken over. */
  private static ForwardPass routed(Path file, JsonNode root, ForwardPass pass) throws IOException {
    for (JsonNode run : root.path("runs")) {
      final boolean isOfModel = run.path("model").asString("").equals(pass.model().toString());
      if (isOfModel && run.has(SKEW) && pass.model().experts() != null) {
        final double skew = run.path(SKEW).doubleValue(Double.NaN);
        if (!(skew >= 0) || Double.isInfinite(skew)) {
          throw new IOException(
              file + ": " + SKEW + " must be >= 0 and finite: value=" + run.path(SKEW));
        }
        return pass.withRoutingSkew(skew);
      }
    }
    return pass;
  }

  private static Loaded read(
      Path file, JsonNode root, ForwardPass pass, GpuSpec gpu, @Nullable OperatorTimes kernels)
      throws IOException {
    final boolean isMeasured = root.path("runs").path(0).has("kernels");
    if (isMeasured == (kernels == null)) {
      throw new IllegalArgumentException(
          isMeasured
              ? "the model was fitted on measured kernels: give the --kernels too: file=" + file
              : "the model was not fitted on measured kernels: leave --kernels out: file=" + file);
    }
    final ModelSpec model = pass.model();
    final String kvCache = model.kvCache() == model.activations() ? "" : model.kvCache().label();
    final String here = ranOn(model.toString(), kvCache, pass.parallelism().devices(), gpu.name());
    final List<String> recorded = recordedOn(root);
    final boolean isTransferred = !recorded.contains(here);
    final JsonNode steps = isTransferred && root.has(ELSEWHERE) ? root.path(ELSEWHERE) : root;
    final StepTimeForm form = form(file, steps);
    final List<FittedPart> parts = new ArrayList<>();
    for (StepPart part : StepPart.values()) {
      if (steps.has(part.label())) {
        parts.add(part(file, steps.path(part.label()), part, form, pass, gpu, kernels));
      }
    }
    final FittedSteps fitted = new FittedSteps(parts, correction(steps), range(root));
    final ErrorBands bands = isTransferred ? ErrorBands.UNKNOWN : bands(root);
    final FittedStepTime stepTime =
        fitted.on(pass, gpu, kernels, bands, arrivalToQueueNs(file, root));
    if (isTransferred) {
      stepTime.carriedFrom(recorded);
    } else {
      stepTime.heldOutError(root.path("held_out").path("mean_error").doubleValue(Double.NaN));
    }
    return new Loaded(stepTime, recorded, isTransferred);
  }

  private static List<String> recordedOn(JsonNode root) {
    final List<String> recorded = new ArrayList<>();
    for (JsonNode run : root.path("runs")) {
      recorded.add(
          ranOn(
              run.path("model").asString(""),
              run.path(KV_CACHE).asString(""),
              run.path("tensor_parallel_size").asInt(1),
              run.path("gpu").asString("")));
    }
    return List.copyOf(recorded);
  }

  /** Where keys and values are kept as the model computes, nothing is said of them. */
  private static String ranOn(String model, String kvCache, int devices, String gpu) {
    return model
        + (kvCache.isEmpty() ? "" : " with keys and values in " + kvCache)
        + " on "
        + devices
        + " x "
        + gpu;
  }

  private static void requireSteps(Path file, JsonNode root) throws IOException {
    for (StepPart part : StepPart.values()) {
      if (root.has(part.label())) {
        return;
      }
    }
    throw new IOException(
        file
            + " must have beta_forward and beta_host, or beta_step: requests alone do not show step"
            + " times; fit a journal or beta.csv too");
  }

  /** Files of before there was a choice were fitted on graphs. */
  private static void requireLaunches(Path file, JsonNode root, ForwardPass pass) {
    final boolean isEager = pass.launchMode() == LaunchMode.EAGER;
    for (JsonNode run : root.path("runs")) {
      if (run.path("enforce_eager").booleanValue(false) != isEager) {
        throw new IllegalArgumentException(
            isEager
                ? "--step-model was fitted on steps of CUDA graphs: leave --enforce-eager out, or"
                    + " fit what was recorded without graphs (headway fit --enforce-eager): file="
                    + file
                : "--step-model was fitted on steps without CUDA graphs: give --enforce-eager too,"
                    + " or fit what was recorded with them: file="
                    + file);
      }
    }
  }

  private static JsonNode tree(Path file) throws IOException {
    final JsonNode root;
    try {
      root = JSON.readTree(Files.readString(file));
    } catch (JacksonException e) {
      throw new IOException(file + " must be JSON: " + e.getOriginalMessage(), e);
    }
    require(file, "format", FORMAT, root);
    require(file, "schema_version", Integer.toString(SCHEMA_VERSION), root);
    return root;
  }

  private static StepTimeForm form(Path file, JsonNode root) throws IOException {
    final String label = root.path("form").asString("");
    for (StepTimeForm form : StepTimeForm.values()) {
      if (form.label().equals(label)) {
        return form;
      }
    }
    throw new IOException(file + " must have a known form: form=" + label);
  }

  private static FittedPart part(
      Path file,
      JsonNode node,
      StepPart part,
      StepTimeForm form,
      ForwardPass pass,
      GpuSpec gpu,
      @Nullable OperatorTimes kernels)
      throws IOException {
    final double sharpness =
        node.has("sharpness") ? node.path("sharpness").doubleValue() : Double.POSITIVE_INFINITY;
    final FormSettings settings = new FormSettings(form, sharpness, classes(file, node));
    final Feature[] features = FittedPart.features(part, settings, pass, gpu, kernels).features();
    final List<Coefficient> coefficients = new ArrayList<>();
    int index = 0;
    for (JsonNode each : node.path("coefficients")) {
      if (index == features.length
          || !features[index].name().equals(each.path("name").asString(""))
          || !each.path("value").isNumber()) {
        throw new IOException(
            file + " must have the coefficients of this version, fit it again: " + part.label());
      }
      final double value = each.path("value").doubleValue();
      if (!(value >= features[index].lowest())) {
        throw new IOException(
            file
                + ": a coefficient must be >= "
                + features[index].lowest()
                + ": "
                + features[index].name()
                + "="
                + value);
      }
      coefficients.add(new Coefficient(features[index++], value, Double.NaN, Status.FITTED));
    }
    if (index != features.length
        || !hash(coefficients).equals(node.path("features_hash").asString(""))) {
      throw new IOException(
          file + " must have the coefficients of this version, fit it again: " + part.label());
    }
    return new FittedPart(part, settings, coefficients, Double.NaN);
  }

  private static RowClasses classes(Path file, JsonNode node) throws IOException {
    final List<Integer> upTo = new ArrayList<>();
    node.path("classes_of_decodes").forEach(each -> upTo.add(each.asInt(0)));
    try {
      return upTo.isEmpty() ? RowClasses.ONE : new RowClasses(upTo);
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  private static @Nullable ResidualCorrection correction(JsonNode root) {
    final JsonNode values = root.path("correction");
    if (values.size() != ResidualCorrection.COLUMNS) {
      return null;
    }
    final double[] coefficients = new double[values.size()];
    Arrays.setAll(coefficients, i -> values.path(i).doubleValue());
    return new ResidualCorrection(coefficients);
  }

  /** Files of before it had lower ends are of the largest steps alone. */
  private static StepRange range(JsonNode root) {
    final JsonNode range =
        root.has("steps_fitted") ? root.path("steps_fitted") : root.path("largest_steps_fitted");
    return new StepRange(
        range.path("fewest_requests").asLong(0),
        range.path("requests").asLong(0),
        range.path("prefill_tokens").asLong(0),
        range.path("twice_prefill_pairs").asLong(0),
        range.path("decode_context_tokens").asLong(0),
        range.path("longest_decode_context").asLong(0),
        range.path("transferred_blocks").asLong(0));
  }

  private static long arrivalToQueueNs(Path file, JsonNode root) throws IOException {
    final long ns = root.path(MeasuredFitJson.ARRIVAL).asLong(0);
    if (ns < 0) {
      throw new IOException(file + ": " + MeasuredFitJson.ARRIVAL + " must be >= 0: value=" + ns);
    }
    return ns;
  }

  private static ErrorBands bands(JsonNode root) {
    final JsonNode all = root.path("measured_over_predicted");
    final Map<Regime, ErrorBand> bands = new EnumMap<>(Regime.class);
    for (Regime regime : Regime.values()) {
      final ErrorBand band = band(all.path(regime.label()));
      if (!Double.isNaN(band.low())) {
        bands.put(regime, band);
      }
    }
    final JsonNode outside = all.path("outside");
    return new ErrorBands(bands, band(outside), outside.path("octaves").doubleValue(1));
  }

  private static ErrorBand band(JsonNode node) {
    return node.has("p5")
        ? new ErrorBand(node.path("p5").doubleValue(), node.path("p95").doubleValue())
        : ErrorBand.UNKNOWN;
  }

  private static void require(Path file, String field, String expected, JsonNode root)
      throws IOException {
    final String found = root.path(field).asString("");
    if (!expected.equals(found)) {
      throw new IOException(
          file + " must be of this " + field + ": expected=" + expected + ", found=" + found);
    }
  }
}
