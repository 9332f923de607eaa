package dev.headway.api.config;

/** Whether the next step is planned before the output of the one before is known. */
public enum AsyncScheduling {
  /** A request is scheduled again when its token is known. */
  DISABLED,
  /** A placeholder is scheduled in place of the token that is not known yet. */
  ENABLED
}
