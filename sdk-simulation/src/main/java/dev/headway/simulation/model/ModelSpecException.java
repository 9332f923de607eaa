package dev.headway.simulation.model;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A model's configuration cannot be used; the message names the file and the field. */
public final class ModelSpecException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  ModelSpecException(Path file, String what, @Nullable Throwable cause) {
    super(file + ": " + what, cause);
  }
}
