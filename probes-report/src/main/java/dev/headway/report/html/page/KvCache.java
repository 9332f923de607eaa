package dev.headway.report.html.page;

import dev.headway.report.html.figures.KvFigures;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.report.html.figures.StepSeries;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.List;

/** The KV cache. */
final class KvCache {

  private KvCache() {}

  static void write(Markup out, ReportFigures run) {
    final KvFigures kv = run.kv();
    final StepSeries steps = run.steps();
    final int blockSize = run.header().blockSize();
    final int blocks = steps.usableBlocks();
    Section.open(out, "kv", "KV cache");
    Section.note(
        out,
        "Its fill over time is in the time line. Blocks that only the prefix cache keeps count as"
            + " free: they can be taken at any moment.");
    final List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("Blocks that requests can hold", Human.count(blocks)));
    rows.add(List.of("Tokens per block", Human.count(blockSize)));
    rows.add(List.of("Tokens that fit", Human.count((long) blocks * blockSize)));
    if (run.header().bytesPerBlock() > 0) {
      rows.add(List.of("Memory", Human.bytes((double) blocks * run.header().bytesPerBlock())));
    }
    rows.add(List.of("In use, mean of the steps", Human.percent(steps.meanKvShare())));
    rows.add(
        List.of(
            "In use, most",
            Human.percent(blocks <= 0 ? Double.NaN : (double) steps.mostKvUsed() / blocks)));
    rows.add(
        List.of("Held token slots without a token", Human.percent(steps.emptySlots(blockSize))));
    final List<List<String>> cache = new ArrayList<>();
    cache.add(List.of("Prompt tokens found at first admission", Human.count(kv.foundTokens())));
    cache.add(List.of("Share of the prompt tokens", Human.percent(kv.hitShare())));
    cache.add(List.of("Requests that found something", Human.percent(kv.requestHitShare())));
    cache.add(List.of("Blocks that became findable", Human.count(kv.storedBlocks())));
    cache.add(List.of("Findable blocks evicted", Human.count(kv.removedBlocks())));
    out.open("div", "class", "pair").open("div").element("h3", "Space");
    Section.table(out, List.of("", "figure"), rows);
    out.close("div").open("div").element("h3", "Prefix cache");
    Section.table(out, List.of("", "figure"), cache);
    writePeaks(out, kv.peakBlocks(), blocks);
    out.close("div").close("div");
    Section.close(out);
  }

  private static void writePeaks(Markup out, Distribution peaks, int blocks) {
    if (peaks.isEmpty() || blocks <= 0) {
      return;
    }
    out.element("h3", "Most blocks held by a request");
    final List<List<String>> rows = new ArrayList<>();
    for (double quantile : new double[] {0.5, 0.9, 0.99, 1}) {
      final double value = peaks.quantile(quantile);
      rows.add(
          List.of(
              quantile == 1 ? "largest" : "p" + Math.round(100 * quantile),
              Human.number(Math.rint(value)),
              Human.percent(value / blocks)));
    }
    Section.table(out, List.of("", "blocks", "of the cache"), rows);
  }
}
