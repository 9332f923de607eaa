/**
 * Statistics, CSV tables, pages, files and text that Headway's modules share and that know nothing
 * of requests. No public API but for output: the others are exported to our modules alone.
 */
@SuppressWarnings("module") // those that it is exported to are compiled after it
module dev.headway.toolbox {
  requires static org.apache.commons.csv; // for tables alone
  requires static org.jspecify;

  exports dev.headway.toolbox.chart to
      dev.headway.report;
  exports dev.headway.toolbox.csv to
      dev.headway.routing,
      dev.headway.simulation;
  exports dev.headway.toolbox.html to
      dev.headway.report;
  exports dev.headway.toolbox.output; // a conversion's options have its OverwriteMode
  exports dev.headway.toolbox.stats to
      dev.headway.probes.dashboard,
      dev.headway.report,
      dev.headway.simulation;
  exports dev.headway.toolbox.text to
      dev.headway.probes.csv,
      dev.headway.probes.dashboard,
      dev.headway.report,
      dev.headway.simulation;
}
