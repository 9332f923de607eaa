package dev.headway.cuda.emulation;

import org.junit.jupiter.api.Assumptions;

/** What a skipped test has to say for itself. */
public enum SkipReason {
  /** Its subject exists on the fake driver only: {@link EmulatorOnly}. */
  EMULATOR_ONLY("emulator only: "),
  /** The machine lacks a library that is not part of the driver. */
  NOT_HERE("not on this machine: "),
  /** A contract asks for what this kind of executor does not have. */
  OF_THE_CONTRACT("Assumption failed: "),
  /** It says nothing, or JUnit's own words: not allowed. */
  NONE("");

  private static final String NO_WORDS = "Assumption failed: assumption is ";

  private final String beginning;

  SkipReason(String beginning) {
    this.beginning = beginning;
  }

  /** The reason in words. */
  public String words(String reason) {
    return beginning + reason;
  }

  /** Which kind of reason somebody gave. */
  public static SkipReason of(String words) {
    for (SkipReason kind : values()) {
      if (kind != NONE
          && words.startsWith(kind.beginning)
          && words.length() > kind.beginning.length()
          && !words.startsWith(NO_WORDS)) {
        return kind;
      }
    }
    return NONE;
  }

  /** Goes on if the machine has what a test needs, or skips it. */
  public static void needsHere(boolean present, String what) {
    if (!present) {
      Assumptions.abort(NOT_HERE.words(what));
    }
  }
}
