package dev.headway.report.html.page;

import dev.headway.report.html.figures.ReportFigures;
import dev.headway.report.html.figures.TenantFigures;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.stats.Jain;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What each tenant got. */
final class Fairness {

  private static final int MOST_ROWS = 50;

  private Fairness() {}

  static void write(Markup out, ReportFigures run) {
    final List<TenantFigures.Tenant> tenants = run.tenants().tenants();
    Section.open(out, "fairness", "Fairness");
    if (tenants.isEmpty()) {
      Section.note(out, "No tenant was served.");
      Section.close(out);
      return;
    }
    writeTenants(out, tenants);
    QueuePositions.write(out, run);
    Section.close(out);
  }

  private static void writeTenants(Markup out, List<TenantFigures.Tenant> tenants) {
    final double service = tenants.stream().mapToDouble(TenantFigures.Tenant::serviceTokens).sum();
    out.element(
        "p",
        tenants.size() == 1
            ? "All requests ran on one account: fairness between tenants is not defined (Jain's"
                + " index is 1)."
            : "Jain's index over "
                + Human.count(tenants.size())
                + " tenants: "
                + jain(tenants, TenantFigures.Tenant::serviceTokens)
                + " of the service in tokens computed, "
                + jain(tenants, t -> (double) t.serviceTokens() / Math.max(1, demand(t)))
                + " of the service per token asked for. 1 is equal; 1/n, one has everything.");
    final List<List<String>> rows = new ArrayList<>();
    for (TenantFigures.Tenant tenant : tenants.subList(0, Math.min(MOST_ROWS, tenants.size()))) {
      rows.add(
          List.of(
              tenant.name(),
              Human.count(tenant.requests()),
              Human.compact(tenant.serviceTokens()),
              Human.percent(service == 0 ? Double.NaN : tenant.serviceTokens() / service),
              Human.compact(tenant.outputTokens()),
              Human.duration((double) tenant.waitedNs() / Math.max(1, tenant.requests())),
              Human.duration(tenant.longestStayNs()),
              Human.count(tenant.preemptions())));
    }
    Section.table(
        out,
        List.of(
            "tenant",
            "requests",
            "service (tokens)",
            "share",
            "output tokens",
            "waited, mean",
            "longest wait (starvation)",
            "preemptions"),
        rows);
    if (tenants.size() > MOST_ROWS) {
      Section.note(
          out,
          Human.count(tenants.size() - MOST_ROWS)
              + " tenants with less service are left out of the table, not of the index.");
    }
  }

  private static long demand(TenantFigures.Tenant tenant) {
    return tenant.promptTokens() + tenant.outputTokens();
  }

  private static String jain(
      List<TenantFigures.Tenant> tenants, ToDoubleFunction<TenantFigures.Tenant> share) {
    final double index = Jain.index(tenants.stream().mapToDouble(share).toArray());
    return Double.isNaN(index) ? Human.UNKNOWN : String.format(Locale.ROOT, "%.3f", index);
  }
}
