package dev.headway.events.record;

/** A record with a right checksum whose payload does not fit its layout. */
public final class MalformedRecordException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  MalformedRecordException(String message) {
    super(message, null, false, false);
  }
}
