package dev.headway.report.profile;

/** Whether a profile writes to the console as well. */
public enum ConsoleLines {
  /** No. */
  OFF,
  /** One line for each second in which steps were completed. */
  EVERY_SECOND
}
