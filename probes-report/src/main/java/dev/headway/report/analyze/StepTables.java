package dev.headway.report.analyze;

import dev.headway.api.step.StepFeatures;
import dev.headway.events.model.PrefixLookups;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.model.StepEntries;
import dev.headway.events.model.StepTimeline;

/** Fills a {@link StepTable} from records. */
public final class StepTables {

  private StepTables() {}

  /** Returns a consumer that appends every step with a token to {@code table}. */
  public static RunModel consumer(StepTable table) {
    final StepFigures figures = new StepFigures();
    return new RunModel(
        new RunListener() {
          @Override
          public void onStep(StepTimeline step) {
            if (step.plan().totalTokens() > 0) {
              fill(figures, step);
              table.add(figures);
            }
          }
        });
  }

  private static void fill(StepFigures figures, StepTimeline step) {
    figures.clear();
    figures.runId = step.run().id();
    figures.scheduleMs = step.scheduleNs() / 1e6;
    if (step.wasExecuted()) {
      figures.runMs = step.runNs() / 1e6;
      figures.totalMs = (step.outputNs() - step.plan().beginNs()) / 1e6;
    }
    figures.unixSeconds = step.run().unixNs(step.plan().endNs()) / 1e9;
    figures.beginNs = step.plan().beginNs();
    figures.resultNs = step.outputNs();
    figures.tokens = step.plan().totalTokens();
    figures.producedTokens = step.producedTokens();
    final PrefixLookups lookups = step.changes().lookups();
    figures.lookupRequests = lookups.requests();
    figures.lookupRequestsHit = lookups.requestsHit();
    figures.lookupTokens = lookups.queries();
    figures.lookupHitTokens = lookups.hits();
    figures.preempted = step.changes().preempted().size();
    figures.waiting = step.plan().waitingCount();
    figures.running = step.plan().runningCount();
    final double usable = step.run().usableBlocks();
    figures.kvUsage = (usable - step.plan().freeBlocks()) / usable;
    if (step.areEntriesKnown()) {
      entries(figures, step.entries());
    } else {
      figures.prefillRequests = step.plan().prefillRequests();
      figures.decodeRequests = step.plan().batchSize() - step.plan().prefillRequests();
      figures.prefillTokens = step.plan().prefillTokens();
    }
  }

  private static void entries(StepFigures figures, StepEntries entries) {
    final StepFeatures features = new StepFeatures();
    entries.addTo(features);
    figures.prefillRequests = features.prefillRequests();
    figures.decodeRequests = features.decodeRequests();
    figures.prefillTokens = features.prefillTokens();
    for (int entry = 0; entry < entries.size(); entry++) {
      figures.computed.add(entries.computedTokens(entry));
      if (entries.entryClass(entry).countsAsPrefill()) {
        figures.prefillChunks.add(entries.scheduledTokens(entry));
      }
    }
  }
}
