package dev.headway.events.reason;

import dev.headway.api.schedule.WaitReason;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What readers know of a reason.
 *
 * @param reason the reason, whose label is the word in records and CSV
 * @param family what was lacking
 * @param meaning a few words that fit after "it waited: "
 * @param setting of the scheduler that the meaning ends with, in brackets, where a run has it
 * @param need what would have helped, in a few words; null where the meaning says it
 * @param countsTokens whether the figures of a refusal count tokens rather than KV blocks
 * @param color of it on dashboards, as in CSS; null for the colour of the rest
 * @param style of it in reports, from 0; {@link #SHARED_STYLE} for the rest
 */
public record WaitReasonInfo(
    WaitReason reason,
    WaitFamily family,
    String meaning,
    @Nullable String setting,
    @Nullable String need,
    boolean countsTokens,
    @Nullable String color,
    int style) {

  /** The style of reasons that share one in reports. */
  public static final int SHARED_STYLE = 6;

  /** The word in records and CSV. */
  public String label() {
    return reason.label();
  }

  /**
   * The meaning, with the value of the setting where there is one.
   *
   * @param settings of the scheduler by name
   */
  public String meaning(Map<String, String> settings) {
    final String value = setting == null ? null : settings.get(setting);
    return value == null ? meaning : meaning + " (" + setting + "=" + value + ")";
  }
}
