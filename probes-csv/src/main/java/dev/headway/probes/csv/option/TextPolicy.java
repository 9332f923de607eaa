package dev.headway.probes.csv.option;

/** What is done to text that a spreadsheet would take for a formula. */
public enum TextPolicy {
  /**
   * Text that starts with {@code = + - @}, one of their full-width forms, TAB, CR, LF or {@code '}
   * gets a {@code '} in front. A reader that drops one leading {@code '} has the exact text.
   */
  NEUTRALISED,
  /** Text is written as it is. Not for spreadsheets. */
  RAW
}
