package dev.headway.report.explain;

import static java.util.Map.entry;

import dev.headway.events.reason.WaitPhrases;
import dev.headway.events.reason.WaitReasonInfo;
import dev.headway.events.reason.WaitReasonTable;
import java.util.Map;

/** What reasons and activities mean, in a few words; {@code ${name}} is a setting of the run. */
final class Phrases {

  private static final Map<String, String> ACTIVITIES =
      Map.ofEntries(
          entry(Activity.PREFILL, "its prompt was computed"),
          entry(Activity.DECODE, "it generated"),
          entry(
              Activity.BETWEEN_STEPS,
              "outputs were handed on, and the next step was being planned"),
          entry(Activity.SUBMITTED, "the engine thread had not taken it in"),
          entry(Activity.SEATED, "the journal does not say what it did"),
          entry(Activity.UNKNOWN, "the journal does not say why"));

  private Phrases() {}

  /**
   * What a label means; an unknown label of a newer writer is shown as it is. A setting that the
   * journal does not hold is not mentioned.
   */
  static String meaning(String label, Map<String, String> settings) {
    final String activity = ACTIVITIES.get(label);
    return activity == null ? WaitPhrases.meaning(label, settings) : activity;
  }

  static boolean knows(String label) {
    return ACTIVITIES.containsKey(label) || WaitPhrases.knows(label);
  }

  /** {@code needed 12 KV blocks, 3 were free}. */
  static String figures(String reason, int needed, int free) {
    final boolean tokens = countsTokens(reason);
    return "needed "
        + (tokens ? plural(needed, "token") : plural(needed, "KV block"))
        + ", "
        + Durations.count(free)
        + (free == 1 ? " was " : " were ")
        + (tokens ? "left" : "free");
  }

  /** Whether the figures of a reason count KV blocks. */
  static boolean countsBlocks(String reason) {
    return !countsTokens(reason);
  }

  private static boolean countsTokens(String reason) {
    final WaitReasonInfo known = WaitReasonTable.of(reason);
    return known != null && known.countsTokens();
  }

  static String plural(long count, String noun) {
    return Durations.count(count) + " " + noun + (count == 1 ? "" : "s");
  }
}
