package dev.headway.simulation.kernel;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.model.AttentionCall;
import dev.headway.simulation.model.ExpertCall;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.MatMul;
import dev.headway.simulation.step.OperatorTimes;
import dev.headway.simulation.table.CsvTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The layers of one model as they were timed on one device, in the folders of LLMServingSim's
 * profiler: {@code tp1_dense.csv}, {@code tp1_attention.csv}, {@code tp1_per_sequence.csv} and, for
 * a mixture of experts, {@code tp1_moe.csv}, plain or gzip; {@code tp2_...} for two devices.
 *
 * <p>Attention is timed as batches have it: one chunk of prompt beside decodes of equal contexts.
 * Several prompts in a step count as one chunk. That contexts are uneven counts if {@code
 * tp1_skew.csv} says what it costs.
 *
 * <p>One thread; allocates nothing once read.
 */
public final class LayerProfile implements OperatorTimes {

  private static final double NS_PER_US = 1e3;
  private static final String NORM = "layernorm";
  private static final String ROTARY = "rotary_emb";
  private static final String ACTIVATION = "act_fn";
  private static final String EMBEDDING = "embedding";
  private static final String FINAL_NORM = "final_layernorm";
  private static final String SAMPLER = "sampler";

  private final Path folder;
  private final Map<String, GridTable> dense;
  private final Map<String, GridTable> perSequence;
  private final GridTable decodes;
  private final GridTable prefills;
  private final GridTable mixed;
  private final @Nullable GridTable experts;
  private final UnevenContexts uneven;

  private LayerProfile(Path folder, String prefix) throws IOException {
    this.folder = folder;
    dense = byLayer(ProfileCsv.find(folder, prefix + "dense"), "tokens");
    perSequence = byLayer(ProfileCsv.find(folder, prefix + "per_sequence"), "sequences");
    final GridTable.Builder ofDecodes = new GridTable.Builder();
    final GridTable.Builder ofPrefills = new GridTable.Builder();
    final GridTable.Builder ofBoth = new GridTable.Builder();
    CsvTable.read(
        ProfileCsv.find(folder, prefix + "attention"),
        row -> {
          final double ns = ProfileCsv.number(row, "time_us") * NS_PER_US;
          final double chunk = ProfileCsv.number(row, "prefill_chunk");
          final double before = ProfileCsv.number(row, "kv_prefill");
          final double requests = ProfileCsv.number(row, "n_decode");
          final double context = ProfileCsv.number(row, "kv_decode");
          if (chunk == 0) {
            ofDecodes.add(ns, requests, context);
          } else if (requests == 0) {
            ofPrefills.add(ns, chunk, before);
          } else {
            ofBoth.add(ns, chunk, before, requests, context);
          }
        });
    decodes = ofDecodes.build();
    prefills = ofPrefills.build();
    mixed = ofBoth.build();
    final Path moe = ProfileCsv.findOrNull(folder, prefix + "moe");
    experts = moe == null ? null : expertTable(moe);
    final Path skew = ProfileCsv.findOrNull(folder, prefix + "skew.");
    uneven = skew == null ? UnevenContexts.FREE : UnevenContexts.read(skew);
  }

  /**
   * Reads a profile.
   *
   * @param folder with the tables
   * @param devices devices that shared each layer when it was timed
   * @throws IOException if a table is missing or is not of that form; names the file and the line
   */
  public static LayerProfile read(Path folder, int devices) throws IOException {
    return new LayerProfile(folder, "tp" + devices + "_");
  }

  private static Map<String, GridTable> byLayer(Path file, String variable) throws IOException {
    final Map<String, GridTable.Builder> tables = new HashMap<>();
    CsvTable.read(
        file,
        row ->
            tables
                .computeIfAbsent(row.get("layer"), layer -> new GridTable.Builder())
                .add(
                    ProfileCsv.number(row, "time_us") * NS_PER_US,
                    ProfileCsv.number(row, variable)));
    final Map<String, GridTable> built = new HashMap<>();
    tables.forEach((layer, table) -> built.put(layer, table.build()));
    return built;
  }

  private static GridTable expertTable(Path file) throws IOException {
    final GridTable.Builder table = new GridTable.Builder();
    CsvTable.read(
        file,
        row ->
            table.add(
                ProfileCsv.number(row, "time_us") * NS_PER_US,
                ProfileCsv.number(row, "tokens"),
                ProfileCsv.number(row, "activated_experts")));
    return table.build();
  }

  @Override
  public double matMulNs(MatMul matMul, double rows) {
    final Map<String, GridTable> tables = matMul.rows() == MatMul.Rows.TOKENS ? dense : perSequence;
    return required(tables, matMul.name()).at(rows);
  }

  private GridTable required(Map<String, GridTable> tables, String layer) {
    final GridTable table = tables.get(layer);
    if (table == null) {
      throw new IllegalArgumentException(
          "the profile must have every layer of the model: layer="
              + layer
              + ", layers="
              + tables.keySet().stream().sorted().toList()
              + ", folder="
              + folder);
    }
    return table;
  }

  @Override
  public double attentionNs(AttentionCall call, StepFeatures step) {
    final double requests = step.decodeRequests();
    final double context = requests == 0 ? 0 : call.visible(evenContext(step));
    if (step.prefillRequests() == 0) {
      return decodes.at(requests, context);
    }
    final double chunk = step.prefillTokens();
    final double before =
        call.visible((double) step.prefillContextTokens() / step.prefillRequests());
    return requests == 0 ? prefills.at(chunk, before) : mixed.at(chunk, before, requests, context);
  }

  private double evenContext(StepFeatures step) {
    return uneven.evenContext(
        step.prefillTokens(),
        step.decodeRequests(),
        step.decodeContextTokens(),
        step.decodeContextSquares());
  }

  @Override
  public double expertsNs(ExpertCall call, double tokens) {
    if (experts == null) {
      throw new IllegalArgumentException("the profile has no table of experts: folder=" + folder);
    }
    return experts.at(tokens, call.spec().touched(tokens));
  }

  @Override
  public double elementwiseNs(ForwardPass pass, double tokens) {
    final double layer =
        2 * required(dense, NORM).at(tokens)
            + required(dense, ROTARY).at(tokens)
            + (dense.containsKey(ACTIVATION) ? dense.get(ACTIVATION).at(tokens) : 0);
    return pass.model().layers() * layer
        + required(dense, EMBEDDING).at(tokens)
        + required(dense, FINAL_NORM).at(tokens);
  }

  @Override
  public double samplingNs(double rows) {
    return required(perSequence, SAMPLER).at(rows);
  }

  /** Not profiled. */
  @Override
  public double allReduceNs(double bytes, int devices) {
    return 0;
  }

  @Override
  public String toString() {
    return "profile " + folder.getFileName();
  }
}
