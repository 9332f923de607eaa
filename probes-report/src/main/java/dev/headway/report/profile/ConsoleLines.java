package dev.headway.report.profile;

/** Whether a profile tells the console what it sees. */
public enum ConsoleLines {
  /** No. */
  OFF,
  /** One line for each second in which steps were completed. */
  EVERY_SECOND
}
