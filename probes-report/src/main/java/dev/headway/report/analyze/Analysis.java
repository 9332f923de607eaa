package dev.headway.report.analyze;

import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.stats.SortedSample;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * What a profile comes to.
 *
 * @param steps all of them
 * @param runs they belong to
 * @param warmUps steps flagged as warm-up
 * @param outliers steps flagged as outliers
 * @param figures in the order of the report
 * @param suspects steps whose scheduling jumps, the longest first; at most ten
 * @param trends where figures go; none of a short profile, or of several runs
 * @param explanations why figures that sound alike differ, with this profile's numbers
 */
public record Analysis(
    int steps,
    int runs,
    int warmUps,
    int outliers,
    List<Figure> figures,
    List<Suspect> suspects,
    List<Trend> trends,
    List<String> explanations) {

  /** Copies the lists. */
  public Analysis {
    figures = List.copyOf(figures);
    suspects = List.copyOf(suspects);
    trends = List.copyOf(trends);
    explanations = List.copyOf(explanations);
  }

  /** Analyses {@code table}. */
  public static Analysis of(StepTable table, WarmUp warmUp) {
    final Flags flags = Flags.of(table, warmUp);
    final Builder figures = new Builder(flags);
    figures.add("batches", "", table.size(), table.size() - count(flags.odd()));
    figures.spread("schedule", table.scheduleMs);
    figures.spread("model_run", table.runMs);
    figures.spread("total_step", table.totalMs);
    figures.mean("prefill_requests_mean", table.prefillRequests);
    figures.mean("decode_requests_mean", table.decodeRequests);
    figures.mean("waiting_requests_mean", table.waiting);
    figures.mean("tokens_mean", table.tokens);
    figures.chunks(table);
    figures.mean("kv_cache_usage_mean", table.kvUsage);
    figures.whole("kv_cache_usage_max", "", table.kvUsage.max());
    figures.whole("preemptions", "", table.preempted.sum());
    figures.quotient(
        "cache_hit_ratio_by_request", "", table.lookupRequestsHit, table.lookupRequests, 1);
    figures.quotient("cache_hit_ratio_by_token", "", table.lookupHitTokens, table.lookupTokens, 1);
    figures.whole("computed_tokens_mean", "", table.computedSum.sum() / table.computedCount());
    figures.whole("computed_tokens_max", "", table.computedMax.max());
    figures.quotient("scheduling_share", "", table.scheduleMs, table.totalMs, 1);
    figures.quotient("throughput_busy", "tokens/s", table.tokens, table.totalMs, 1e3);
    figures.whole("throughput_wall", "tokens/s", table.tokens.sum() / table.spanSeconds());
    figures.whole(
        "throughput_output",
        "tokens/s",
        table.producedTokens.present() == 0
            ? Double.NaN
            : table.producedTokens.sum() / table.spanSeconds());
    figures.share("prefill_share_by_requests", table.prefillRequests, table.decodeRequests);
    figures.quotient("prefill_share_by_tokens", "", table.prefillTokens, table.tokens, 1);
    return new Analysis(
        table.size(),
        table.runs(),
        flags.warmUps(),
        flags.outliers(),
        figures.figures,
        Suspect.of(table, flags),
        Trend.of(table),
        Explanations.of(table, flags));
  }

  private static int count(boolean[] flags) {
    int count = 0;
    for (boolean flag : flags) {
      count += flag ? 1 : 0;
    }
    return count;
  }

  /** Takes each figure in both views. */
  private static final class Builder {

    private static final List<String> RANKS = List.of("_min", "_p50", "_p95", "_p99", "_max");

    private final List<Figure> figures = new ArrayList<>();
    private final IntPredicate steady;

    Builder(Flags flags) {
      final boolean[] odd = flags.odd();
      steady = step -> !odd[step];
    }

    void add(String name, String unit, double all, double steady) {
      figures.add(new Figure(name, unit, all, steady));
    }

    /** A figure that only the whole profile has. */
    void whole(String name, String unit, double all) {
      add(name, unit, all, Double.NaN);
    }

    void mean(String name, Samples samples) {
      add(name, "", samples.mean(), samples.mean(steady));
    }

    void spread(String name, Samples samples) {
      add(name + "_mean", "ms", samples.mean(), samples.mean(steady));
      final double[] all = ranks(samples.sorted()); // one sorted copy at a time
      final double[] kept = ranks(samples.sorted(steady));
      for (int i = 0; i < RANKS.size(); i++) {
        add(name + RANKS.get(i), "ms", all[i], kept[i]);
      }
    }

    private static double[] ranks(SortedSample sorted) {
      return new double[] {
        sorted.min(),
        sorted.quantile(0.5),
        sorted.quantile(0.95),
        sorted.quantile(0.99),
        sorted.max()
      };
    }

    void quotient(String name, String unit, Samples over, Samples under, double scale) {
      add(
          name,
          unit,
          scale * over.sum() / under.sum(),
          scale * over.sum(steady) / under.sum(steady));
    }

    /** Sum of one, of the sum of both. */
    void share(String name, Samples part, Samples rest) {
      final double kept = part.sum(steady);
      add(
          name,
          "",
          part.present() == 0 ? Double.NaN : part.sum() / (part.sum() + rest.sum()),
          part.present() == 0 ? Double.NaN : kept / (kept + rest.sum(steady)));
    }

    void chunks(StepTable table) {
      final double prefills = table.prefillRequests.sum();
      final double decodes = table.decodeRequests.sum();
      final double prefillTokens = table.prefillTokens.sum();
      final double tokens = table.tokens.sum();
      whole("chunk_size_mean", "", tokens / (prefills + decodes));
      whole("prefill_chunk_size_mean", "", prefillTokens / prefills);
      final Distribution sizes = table.prefillChunks();
      whole("prefill_chunk_size_p50", "", sizes.quantile(0.5));
      whole("prefill_chunk_size_p99", "", sizes.quantile(0.99));
      whole("prefill_chunk_size_max", "", sizes.isEmpty() ? Double.NaN : (double) sizes.max());
      whole("decode_chunk_size_mean", "", (tokens - prefillTokens) / decodes);
    }
  }
}
