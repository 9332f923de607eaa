package dev.headway.toolbox.output;

/** What happens to an output that exists. */
public enum OverwriteMode {
  /** It is kept and the new one refused; an empty directory is taken. */
  REFUSE,
  /** It is replaced when the new one is complete; a directory only if it is an earlier output. */
  REPLACE
}
