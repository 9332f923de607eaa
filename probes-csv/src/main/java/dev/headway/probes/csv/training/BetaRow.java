package dev.headway.probes.csv.training;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.EntryClass;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepEntries;
import dev.headway.events.model.StepTimeline;

/** A step with its features. Contexts are the tokens computed before it. */
final class BetaRow {

  final StepTimeline step;
  final boolean warmUp;
  final int batchDelta;
  final long periodNs;
  int decodes;
  long decodeTokens;
  long prefillTokens;

  /** Twice the pairs, which a chunk of odd length makes a half. */
  long doubledPrefillPairs;

  long decodeContexts;
  long decodeContextSquares;
  int largestContext;
  long heldBlocks;

  BetaRow(StepTimeline step, boolean warmUp, int batchDelta, long periodNs) {
    this.step = step;
    this.warmUp = warmUp;
    this.batchDelta = batchDelta;
    this.periodNs = periodNs;
    final StepEntries entries = step.entries();
    for (int entry = 0; entry < entries.size(); entry++) {
      take(entries, entry);
    }
  }

  RunTimeline run() {
    return step.run();
  }

  /** What of a step is neither the executor's forward pass nor idle; absent if a part is. */
  long hostNs() {
    final long scheduleNs = step.plan().scheduleNs();
    return step.wasExecuted()
        ? step.endNs() - step.plan().beginNs() - step.forwardNs()
        : scheduleNs;
  }

  /** From the output to its being taken over. */
  long updateNs() {
    return step.outputNs() == ABSENT ? ABSENT : step.endNs() - step.outputNs();
  }

  private void take(StepEntries entries, int entry) {
    final long chunk = entries.scheduledTokens(entry);
    final long context = entries.computedTokens(entry);
    largestContext = Math.max(largestContext, entries.computedTokens(entry));
    heldBlocks += entries.blocks(entry);
    if (entries.entryClass(entry) == EntryClass.DECODE) {
      decodes++;
      decodeTokens += chunk;
      decodeContexts += context;
      decodeContextSquares += context * context;
    } else {
      prefillTokens += chunk;
      doubledPrefillPairs += chunk * (2 * context + chunk);
    }
  }
}
