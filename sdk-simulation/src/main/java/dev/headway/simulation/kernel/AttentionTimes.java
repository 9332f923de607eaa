package dev.headway.simulation.kernel;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.model.AttentionCall;
import dev.headway.simulation.step.Roofline;
import dev.headway.toolbox.csv.CsvReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * Attention of one device, prompts and decodes each in a kernel of their own.
 *
 * <p>Prompts were measured without tokens before them. A chunk that has some gets the slowdown of a
 * prompt with as many pairs of a query and a token it sees: {@code sqrt(tokens * (2 * context +
 * tokens))} tokens. Decodes get that of equal requests of their mean context. A combination of
 * heads, width and window that was not measured gets the slowdown of the nearest.
 *
 * <p>A table of which more than one in {@value #CREDIBLE} measurements is faster than the device is
 * not used at all: the others are not to be trusted either.
 *
 * <p>One thread; allocates at the first use of a combination only.
 */
final class AttentionTimes {

  private static final int CREDIBLE = 10;

  /** A head this much wider or narrower than what was measured is another kernel. */
  private static final double SAME_KERNEL = 1.5;

  private record Heads(int heads, int kvHeads, int headDim, int windowTokens, double kvBytes) {

    static Heads of(AttentionCall call) {
      final double numbers = 2.0 * call.kvHeads() * call.headDim();
      return new Heads(
          call.heads(),
          call.kvHeads(),
          call.headDim(),
          call.windowTokens(),
          call.kvBytesPerToken() / numbers);
    }

    AttentionCall call() {
      final long pairs = 2L * heads * headDim;
      final double bytes = 2.0 * kvHeads * headDim * kvBytes;
      return new AttentionCall(1, windowTokens, heads, kvHeads, headDim, pairs, bytes);
    }

    /** How different another kernel is: queries per key first, then heads, width and format. */
    double distance(Heads other) {
      return 4 * ratio((double) heads / kvHeads, (double) other.heads / other.kvHeads)
          + ratio(heads, other.heads)
          + ratio(headDim, other.headDim)
          + ratio(kvBytes, other.kvBytes)
          + (windowTokens == 0 ? 0 : 0.5) * (windowTokens == other.windowTokens ? 0 : 1)
          + (windowTokens == 0 && other.windowTokens != 0 ? 100 : 0);
    }

    private static double ratio(double one, double other) {
      return Math.abs(Math.log(one / other));
    }
  }

  private final Roofline peak;
  private final Map<Heads, SlowdownTable> prefills;
  private final Map<Heads, SlowdownTable> decodes;

  /** The tables of what was asked for, null where there is none. */
  private final Map<AttentionCall, Kernels> known = new HashMap<>();

  private int dropped;

  private record Kernels(@Nullable SlowdownTable prefill, @Nullable SlowdownTable decode) {}

  private AttentionTimes(Path ofPrefills, Path ofDecodes, Roofline peak) throws IOException {
    this.peak = peak;
    prefills = read(ofPrefills, true);
    decodes = read(ofDecodes, false);
  }

  static AttentionTimes read(Path prefills, Path decodes, Roofline peak) throws IOException {
    return new AttentionTimes(prefills, decodes, peak);
  }

  private Map<Heads, SlowdownTable> read(Path file, boolean prefill) throws IOException {
    final Map<Heads, SlowdownTable.Builder> tables = new HashMap<>();
    final StepFeatures batch = new StepFeatures();
    final int[] rows = new int[2];
    CsvReader.read(
        file,
        row -> {
          final Heads heads = heads(row);
          final int requests = (int) ProfileCsv.number(row, "batch_size");
          final int tokens = (int) ProfileCsv.number(row, "isl");
          final int before = (int) ProfileCsv.number(row, "step");
          batch.begin();
          for (int i = 0; i < requests; i++) {
            if (prefill) {
              batch.addPrefill(tokens, before);
            } else {
              batch.addDecode(tokens, before);
            }
          }
          final double size = prefill ? evenPrompt(batch) : before;
          final boolean added =
              tables
                  .computeIfAbsent(heads, of -> new SlowdownTable.Builder())
                  .add(
                      ProfileCsv.milliseconds(row, "latency"),
                      peak.attentionNs(heads.call(), batch),
                      requests,
                      size);
          rows[added ? 1 : 0]++;
        });
    final boolean credible = rows[0] * CREDIBLE <= rows[0] + rows[1];
    dropped += credible ? rows[0] : rows[0] + rows[1];
    if (!credible) {
      return Map.of();
    }
    final Map<Heads, SlowdownTable> built = new HashMap<>();
    tables.forEach(
        (heads, table) -> {
          if (!table.isEmpty()) {
            built.put(heads, table.build());
          }
        });
    return built;
  }

  private static Heads heads(CSVRecord row) {
    return new Heads(
        (int) ProfileCsv.number(row, "num_heads"),
        (int) ProfileCsv.number(row, "num_key_value_heads"),
        (int) ProfileCsv.number(row, "head_dim"),
        (int) ProfileCsv.number(row, "window_size"),
        row.get("kv_cache_dtype").equals("bfloat16") ? 2 : 1);
  }

  /** The length of prompts without context, as many, that have as many pairs. */
  private static double evenPrompt(StepFeatures step) {
    return Math.sqrt((double) step.twicePrefillPairs() / step.prefillRequests());
  }

  /** Measurements left out because they are faster than the device. */
  int dropped() {
    return dropped;
  }

  /** Whether a prefill kernel like this one was measured; latent attention is another. */
  boolean hasPrefills(AttentionCall call) {
    return of(call).prefill != null;
  }

  /** Whether a decode kernel like this one was measured. */
  boolean hasDecodes(AttentionCall call) {
    return of(call).decode != null;
  }

  /** The attention of a layer for the prefills of a step; {@link #hasPrefills} the call. */
  double prefillNs(AttentionCall call, StepFeatures step) {
    final SlowdownTable table = Objects.requireNonNull(of(call).prefill);
    final double tokens = Math.max(1, evenPrompt(step));
    return peak.prefillAttentionNs(call, step) * table.at(step.prefillRequests(), tokens);
  }

  /** The attention of a layer for the decodes of a step; {@link #hasDecodes} the call. */
  double decodeNs(AttentionCall call, StepFeatures step) {
    final SlowdownTable table = Objects.requireNonNull(of(call).decode);
    final double context = (double) step.decodeContextTokens() / step.decodeRequests();
    return peak.decodeAttentionNs(call, step)
        * table.at(step.decodeRequests(), Math.max(1, context));
  }

  private Kernels of(AttentionCall call) {
    Kernels kernels = known.get(call);
    if (kernels == null) {
      kernels = new Kernels(nearest(prefills, call), nearest(decodes, call));
      known.put(call, kernels);
    }
    return kernels;
  }

  private static @Nullable SlowdownTable nearest(
      Map<Heads, SlowdownTable> measured, AttentionCall call) {
    final Heads wanted = Heads.of(call);
    SlowdownTable nearest = null;
    double least = Double.POSITIVE_INFINITY;
    for (Map.Entry<Heads, SlowdownTable> entry : measured.entrySet()) {
      final double distance = wanted.distance(entry.getKey());
      final double width = (double) wanted.headDim() / entry.getKey().headDim();
      if (distance < least && width < SAME_KERNEL && width > 1 / SAME_KERNEL) {
        least = distance;
        nearest = entry.getValue();
      }
    }
    return nearest;
  }
}
