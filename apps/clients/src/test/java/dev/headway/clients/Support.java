package dev.headway.clients;

/** What becomes of a feature that a client asks for. */
public enum Support {
  WORKS("works"),
  /** An error whose message names the field or the path, instead of an answer without it. */
  REFUSED("refused by name"),
  /** The client has no way of asking for it. */
  NOT_OFFERED("not in the client");

  private final String text;

  Support(String text) {
    this.text = text;
  }

  /** A cell of the table. */
  public String text() {
    return text;
  }
}
