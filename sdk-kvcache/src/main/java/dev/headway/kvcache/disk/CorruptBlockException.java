package dev.headway.kvcache.disk;

import java.io.IOException;

/** A file is not what was written. */
final class CorruptBlockException extends IOException {
  private static final long serialVersionUID = 1L;

  CorruptBlockException(String message) {
    super(message);
  }
}
