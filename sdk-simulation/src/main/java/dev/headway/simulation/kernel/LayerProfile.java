package dev.headway.simulation.kernel;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.AttentionCall;
import dev.headway.simulation.model.ExpertCall;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.MatMul;
import dev.headway.simulation.step.OperatorTimes;
import dev.headway.simulation.step.Roofline;
import dev.headway.toolbox.csv.CsvReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The layers of one model as they were timed on one device, in the folders of LLMServingSim's
 * profiler: {@code tp1_dense.csv}, {@code tp1_attention.csv}, {@code tp1_per_sequence.csv} and, for
 * a mixture of experts, {@code tp1_moe.csv}, plain or gzip, or {@code tp1/dense.csv} and so on;
 * {@code tp2} for two devices. Where a model is to be shared by more devices than were profiled,
 * {@link Sharding} says what is left of each kernel; norms, embedding and sampler stay whole.
 *
 * <p>Attention is timed as batches have it: one chunk of prompt beside decodes of equal contexts.
 * Several prompts in a step count as one chunk. That contexts are uneven counts if {@code
 * tp1_skew.csv} says what it costs, with and without a chunk beside the decodes.
 *
 * <p>Experts are timed as a block, by tokens and by how many experts they reach. The block has the
 * router and shared experts in it, where the table of dense layers has none. How many experts a
 * step reaches is expected for tokens that choose at random, {@link
 * dev.headway.simulation.model.ExpertsSpec#touched}; a trained router reaches somewhat fewer. A
 * device that has a share of each layer's experts, or of each expert, takes what the table says of
 * that share of the tokens and of the experts: as many operations, and as many bytes of weights.
 *
 * <p>All-reduces are those of aiconfigurator's table {@code <device>_custom_allreduce*.csv} if it
 * is in the folder, else what the link of the device's {@link Roofline} takes.
 *
 * <p>One thread; allocates nothing once read.
 */
public final class LayerProfile implements OperatorTimes {

  private static final double NS_PER_US = 1e3;
  private static final String NORM = "layernorm";
  private static final String QUERY_KEY_NORM = "qk_norm";
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
  private final Sharding sharding;
  private final double shortestNs;
  private final @Nullable AllReduceKernels allReduces;
  private final Roofline roofline;

  private LayerProfile(Path folder, ForwardPass pass, GpuSpec gpu) throws IOException {
    this.folder = folder;
    final ProfileTables tables = ProfileTables.nearest(folder, pass.parallelism().tensor());
    sharding = Sharding.of(pass, tables.devices());
    dense = byLayer(tables.find("dense"), "tokens");
    requireKnown(pass);
    shortestNs = dense.values().stream().mapToDouble(GridTable::smallest).min().orElse(0);
    perSequence = byLayer(tables.find("per_sequence"), "sequences");
    final GridTable.Builder ofDecodes = new GridTable.Builder();
    final GridTable.Builder ofPrefills = new GridTable.Builder();
    final GridTable.Builder ofBoth = new GridTable.Builder();
    CsvReader.read(
        tables.find("attention"),
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
    final Path moe = wholeExperts();
    experts = moe == null ? null : expertTable(moe);
    final Path skew = tables.findOrNull("skew");
    uneven = skew == null ? UnevenContexts.FREE : UnevenContexts.read(skew);
    final Path reduces =
        ProfileCsv.findOrNull(folder, KernelDatabase.nameOf(gpu) + "_custom_allreduce");
    allReduces = reduces == null ? null : AllReduceKernels.read(reduces);
    roofline = new Roofline(gpu);
  }

  /**
   * Reads a profile.
   *
   * @param folder with the tables
   * @param pass what one device of those that share the model runs
   * @param gpu the device, for its link
   * @throws IOException if a table is missing or is not of that form; names the file and the line
   * @throws IllegalArgumentException if a layer was timed that the model does not have; names it
   */
  public static LayerProfile read(Path folder, ForwardPass pass, GpuSpec gpu) throws IOException {
    return new LayerProfile(folder, pass, gpu);
  }

  /**
   * Nothing is left out in silence: what was timed and is not asked for belongs to another model.
   */
  private void requireKnown(ForwardPass pass) {
    final Set<String> known =
        new TreeSet<>(Set.of(NORM, QUERY_KEY_NORM, ROTARY, ACTIVATION, EMBEDDING, FINAL_NORM));
    pass.matMuls().forEach(matMul -> known.add(matMul.name()));
    for (String layer : dense.keySet()) {
      if (!known.contains(layer)) {
        throw new IllegalArgumentException(
            "the profile must have layers of the model only: layer="
                + layer
                + ", model="
                + pass.model()
                + ", known="
                + known
                + ", folder="
                + folder);
      }
    }
  }

  /** Experts are timed whole, with one device, whatever shares the other layers. */
  private @Nullable Path wholeExperts() {
    return new ProfileTables(folder, 1).findOrNull("moe");
  }

  private static Map<String, GridTable> byLayer(Path file, String variable) throws IOException {
    final Map<String, GridTable.Builder> tables = new HashMap<>();
    CsvReader.read(
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
    CsvReader.read(
        file,
        row ->
            table.add(
                ProfileCsv.number(row, "time_us") * NS_PER_US,
                ProfileCsv.number(row, "activated_experts"),
                ProfileCsv.number(row, "tokens")));
    return table.build();
  }

  @Override
  public double matMulNs(MatMul matMul, double rows) {
    final Map<String, GridTable> tables = matMul.rows() == MatMul.Rows.TOKENS ? dense : perSequence;
    if (matMul.isInExpertBlock() && experts != null && !tables.containsKey(matMul.name())) {
      return 0; // timed with the experts
    }
    final double ns = required(tables, matMul.name()).at(rows);
    return Sharding.ns(ns, sharding.of(matMul), shortestNs);
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
    final double requests = step.decodeRequests() * sharding.ofKv();
    final double chunk = step.prefillTokens() * sharding.ofHeads();
    final double context =
        requests == 0 ? 0 : call.visible(uneven.evenContext(step, chunk, requests));
    if (step.prefillRequests() == 0) {
      return decodes.at(requests, context);
    }
    final double meanBefore = (double) step.prefillContextTokens() / step.prefillRequests();
    final double before = call.visible(sharding.before((double) step.prefillTokens(), meanBefore));
    return requests == 0 ? prefills.at(chunk, before) : mixed.at(chunk, before, requests, context);
  }

  @Override
  public double expertsNs(ExpertCall call, double tokens) {
    if (experts == null) {
      throw new IllegalArgumentException("the profile has no table of experts: folder=" + folder);
    }
    final double share = call.share();
    return experts.at(call.spec().touched(tokens) * share, tokens * share);
  }

  @Override
  public double elementwiseNs(ForwardPass pass, double tokens) {
    final double layer = 2 * required(dense, NORM).at(tokens) + heads(tokens);
    return pass.model().layers() * layer
        + pass.model().denseLayers() * activation(tokens)
        + required(dense, EMBEDDING).at(tokens)
        + required(dense, FINAL_NORM).at(tokens);
  }

  /** What goes over the heads of a layer's queries and keys. */
  private double heads(double tokens) {
    final double here = tokens * sharding.ofHeads();
    final GridTable norm = dense.get(QUERY_KEY_NORM);
    return (norm == null ? 0 : norm.at(here)) + required(dense, ROTARY).at(here);
  }

  private double activation(double tokens) {
    final GridTable activation = dense.get(ACTIVATION);
    return activation == null ? 0 : activation.at(tokens * sharding.ofFeedForward());
  }

  @Override
  public double samplingNs(double rows) {
    return required(perSequence, SAMPLER).at(rows);
  }

  @Override
  public double allReduceNs(double bytes, int devices) {
    return allReduces != null && allReduces.has(devices)
        ? allReduces.ns(bytes, devices)
        : roofline.allReduceNs(bytes, devices);
  }

  @Override
  public String toString() {
    return "profile " + folder.getFileName();
  }
}
