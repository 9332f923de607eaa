package dev.headway.probes.chronicle;

import java.util.Locale;

/**
 * How the records came to an end, for the manifest.
 *
 * @param state in one word
 * @param detail after what the journal was cut, or where it is damaged; empty if it is complete
 * @param records records read
 * @param unknownRecords those of them whose type this version does not know; they were skipped
 * @param droppedRecords records for which the writer had no room
 */
public record JournalEnd(
    State state, String detail, long records, long unknownRecords, long droppedRecords) {

  /** An end without drops. */
  public JournalEnd(State state, String detail, long records, long unknownRecords) {
    this(state, detail, records, unknownRecords, 0);
  }

  /** How a journal ends. */
  public enum State {
    /** The writer closed it. */
    CLEAN,
    /** It stops where the writer died; where files cannot be locked, maybe where it is writing. */
    CUT,
    /** A record cannot be read; what is before it was converted. */
    DAMAGED,
    /** The writer is at work: what it had written was read, or it was followed until a stop. */
    LIVE;

    /** The word in the manifest. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** A journal that the writer closed. */
  public static JournalEnd clean(long records) {
    return new JournalEnd(State.CLEAN, "", records, 0);
  }

  /** A journal that is being followed. */
  public static JournalEnd live(long records) {
    return new JournalEnd(State.LIVE, "", records, 0);
  }
}
