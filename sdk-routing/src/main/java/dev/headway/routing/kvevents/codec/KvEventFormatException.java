package dev.headway.routing.kvevents.codec;

/** A message is no batch of KV events in any dialect. */
public final class KvEventFormatException extends Exception {

  private static final long serialVersionUID = 1L;

  KvEventFormatException(String message) {
    super(message);
  }

  KvEventFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
