package dev.headway.cli.simulate;

/** What happens to a run that stands where another one shall be. */
public enum Existing {
  /** It stays, and the new one does not start. */
  REFUSED,
  /** It goes, when the new one is complete. */
  REPLACED
}
