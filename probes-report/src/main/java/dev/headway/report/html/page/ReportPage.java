package dev.headway.report.html.page;

import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.StaticPage;
import dev.headway.toolbox.text.Human;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Renders figures as one HTML file that loads nothing: styles, scripts and data are inside. A
 * content security policy lets only those scripts run that are ours, by their hash. Stateless;
 * equal figures make equal bytes.
 */
public final class ReportPage {

  private static final JsonFactory JSON = new JsonFactory();

  private ReportPage() {}

  /**
   * A run and where it comes from.
   *
   * @param journal its name, as shown
   * @param runs in the journal
   */
  public record Source(ReportFigures figures, JournalEnd end, String journal, int runs) {}

  /** Returns the page of a run, compared with another if there is one. */
  public static String render(Source source, @Nullable Source compared) {
    final ReportFigures run = source.figures();
    final ReasonColors colors = new ReasonColors(run.waits());
    final Timeline timeline = new Timeline(run, colors);
    final String library = resource("uPlot.iife.min.js");
    final String script = resource("report.js");
    final Markup out = new Markup();
    out.trusted("<!DOCTYPE html>\n").open("html", "lang", "en").open("head");
    writeHead(out, source, library, script);
    out.close("head").line().open("body");
    writeTop(out, source, compared != null);
    out.open("main");
    final Overview overview = new Overview(out, run);
    overview.writeVerdict(source.end(), source.runs(), colors);
    if (compared != null) {
      new RunComparison(out, run, compared.figures()).write(source.journal(), compared.journal());
    }
    overview.writeKeyNumbers();
    timeline.write(out);
    new Lives(out, run, colors, timeline.endNs()).write(timeline.axis(), source.journal());
    WaitSection.write(out, run);
    new Latencies(out).write(run);
    new SixPlots(
            out,
            run.steps().computed(),
            run.header().config().getOrDefault("maxNumBatchedTokens", ""))
        .write();
    new CostModel(out, run).write();
    KvCache.write(out, run);
    Fairness.write(out, run);
    Appendix.write(out, run, source.end(), source.journal());
    out.close("main").line();
    final StringWriter data = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), data)) {
      timeline.write(json);
    }
    out.open("script", "type", "application/json", "id", "data")
        .trusted(data.toString().replace("<", "\\u003c").replace(">", "\\u003e"))
        .close("script");
    out.trusted("<!-- uPlot, for zoom and hover:\n" + resource("uPlot.LICENSE") + "-->\n");
    out.open("script").trusted(library).close("script");
    out.open("script").trusted(script).close("script");
    out.close("body").close("html").line();
    return out.toString();
  }

  private static void writeHead(Markup out, Source source, String library, String script) {
    StaticPage.head(out, "Headway report: " + source.journal(), hash(library) + " " + hash(script));
    out.open("style")
        .trusted(resource("uPlot.min.css"))
        .trusted(StaticPage.styleSheet())
        .close("style");
  }

  private static void writeTop(Markup out, Source source, boolean compares) {
    final ReportFigures run = source.figures();
    out.open("header").element("h1", "Scheduling report");
    out.element(
        "p",
        source.journal()
            + " · "
            + Human.count(run.facts().queued() + run.facts().rejected())
            + " requests · "
            + Human.count(run.steps().steps())
            + " steps · "
            + Human.duration(run.facts().lastNs())
            + (run.header().virtualTime() ? " of simulated time" : "")
            + " · Headway "
            + run.header().headwayVersion());
    final Map<String, String> sections = new LinkedHashMap<>();
    sections.put("verdict", "Verdict");
    if (compares) {
      sections.put("compare", "Comparison");
    }
    sections.put("numbers", "Key numbers");
    sections.put("timeline", "Time line");
    sections.put("requests", "Lives");
    sections.put("waits", "Waits");
    sections.put("latency", "Latency");
    sections.put("profile", "Profile");
    sections.put("cost", "Cost");
    sections.put("kv", "KV cache");
    sections.put("fairness", "Fairness");
    sections.put("appendix", "Appendix");
    out.open("nav", "aria-label", "Sections");
    sections.forEach((id, title) -> out.element("a", title, "href", "#" + id));
    out.close("nav").close("header").line();
  }

  private static String hash(String script) {
    try {
      final byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
      return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static String resource(String name) {
    try (InputStream in = ReportPage.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(
            "the jar must hold a resource of this package: name=" + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
