package dev.headway.probes.csv.option;

/** What happens when the output directory exists. */
public enum Overwrite {
  /** The conversion is refused; an empty directory is taken. */
  REFUSE,
  /** A directory that holds nothing but an earlier conversion is replaced at the end. */
  REPLACE
}
