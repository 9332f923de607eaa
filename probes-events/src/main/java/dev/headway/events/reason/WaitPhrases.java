package dev.headway.events.reason;

import java.util.Map;

/**
 * What requests wait for in the queue and before it, in a few words that fit after "it waited: ".
 */
public final class WaitPhrases {

  /** Before the queue; see {@link dev.headway.events.model.Ingress}. */
  private static final Map<String, String> BEFORE_THE_QUEUE =
      Map.of(
          "step_in_progress", "the engine takes requests in between two steps",
          "engine_idle", "the engine thread had to wake up");

  private WaitPhrases() {}

  /** Whether it is a reason that this version knows. */
  public static boolean knows(String reason) {
    return BEFORE_THE_QUEUE.containsKey(reason) || WaitReasonTable.of(reason) != null;
  }

  /** What a reason means, without settings. */
  public static String meaning(String reason) {
    return meaning(reason, Map.of());
  }

  /**
   * What a reason means. A setting that {@code settings} does not have is not mentioned.
   *
   * @param settings of the scheduler by name
   */
  public static String meaning(String reason, Map<String, String> settings) {
    final WaitReasonInfo known = WaitReasonTable.of(reason);
    return known != null
        ? known.meaning(settings)
        : BEFORE_THE_QUEUE.getOrDefault(reason, "a reason that this version does not know");
  }
}
