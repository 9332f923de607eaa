package dev.headway.report.profile;

import java.io.Closeable;
import java.io.IOException;

/** Takes whole lines. One thread. */
interface LineSink extends Closeable {

  /** Takes a line without its end; the buffer is the caller's again afterwards. */
  void append(CharSequence line) throws IOException;

  /** Hands on what was taken. */
  default void flush() throws IOException {}

  /** Lines that were taken and could not be handed on. */
  default long lost() {
    return 0;
  }

  /** Where the lines go, for messages. */
  default String name() {
    return "standard output";
  }

  @Override
  default void close() throws IOException {}
}
