package dev.headway.executor.model;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A model folder cannot be used: the file, the tensor if one is to blame, and the reason. */
public final class ModelFormatException extends RuntimeException {

  private final transient Path file;
  private final @Nullable String tensor;
  private final String reason;

  /** Blames a file as a whole. */
  public ModelFormatException(Path file, String reason) {
    this(file, null, reason, null);
  }

  /** Blames a tensor of a file. */
  public ModelFormatException(Path file, String tensor, String reason) {
    this(file, tensor, reason, null);
  }

  /**
   * Blames a file.
   *
   * @param tensor null if no tensor is to blame
   * @param cause null if nothing was thrown below
   */
  public ModelFormatException(
      Path file, @Nullable String tensor, String reason, @Nullable Throwable cause) {
    super(file + (tensor == null ? "" : ": tensor '" + tensor + "'") + ": " + reason, cause);
    this.file = Objects.requireNonNull(file, "file");
    this.tensor = tensor;
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /** The file. */
  public Path file() {
    return file;
  }

  /** The tensor's name as the file spells it. */
  public Optional<String> tensor() {
    return Optional.ofNullable(tensor);
  }

  /** What must hold, with the values that broke it. */
  public String reason() {
    return reason;
  }
}
