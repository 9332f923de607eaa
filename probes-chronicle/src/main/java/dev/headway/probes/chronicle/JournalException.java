package dev.headway.probes.chronicle;

import java.io.IOException;

/** A journal cannot be made, or what should be one is none; the message says what and where. */
public final class JournalException extends IOException {

  private static final long serialVersionUID = 1L;

  JournalException(String message) {
    super(message);
  }

  JournalException(String message, Throwable cause) {
    super(message, cause);
  }
}
