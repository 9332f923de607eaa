package dev.headway.probes.csv.table;

import java.util.Locale;

/** What a cell holds. An empty cell is an absent value, whatever the type. */
public enum ColumnType {
  /** A whole number. */
  INTEGER,
  /** A decimal fraction with a point, never with an exponent. */
  DECIMAL,
  /** {@code true} or {@code false}. */
  BOOLEAN,
  /** One word of a known set. */
  LABEL,
  /** Free text from outside; neutralised for spreadsheets unless raw is asked for. */
  TEXT,
  /** An instant as ISO 8601, in UTC with nine digits of the second. */
  TIME,
  /** One JSON value on one line. */
  JSON;

  /** The word used in manifests and reference pages. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
