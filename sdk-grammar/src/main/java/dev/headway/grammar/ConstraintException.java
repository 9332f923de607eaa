package dev.headway.grammar;

/** Why no grammar is made of a constraint. */
public final class ConstraintException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** What kind of reason it is. */
  public enum Kind {
    /** The constraint is not well formed, or nothing can satisfy it. */
    INVALID,
    /** It asks for something that this backend does not have. */
    UNSUPPORTED,
    /** It needs more than the limits allow. */
    LIMIT,
    /** The backend has too much to do; the same may succeed later. */
    BUSY
  }

  /** What kind of reason it is. */
  private final Kind kind;

  /** Where in the constraint. */
  private final String path;

  /**
   * Makes a reason.
   *
   * @param path where in the constraint, as {@code #/properties/name}; empty if it is all of it
   * @param message what must hold, with the values
   */
  public ConstraintException(Kind kind, String path, String message) {
    super(message, null, false, false); // for the sender; where it was found is of no interest
    this.kind = kind;
    this.path = path;
  }

  /** What kind of reason it is. */
  public Kind kind() {
    return kind;
  }

  /** Where in the constraint, as {@code #/properties/name}; empty if it is all of it. */
  public String path() {
    return path;
  }
}
