package dev.headway.http;

import java.io.IOException;

/** A request that did not arrive as it must; the connection ends with the answer. */
public final class HttpFailure extends IOException {

  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;

  /**
   * Refuses a request.
   *
   * @param code for programs
   * @param message for people; what a client sent may be in it only if it needs no escaping in JSON
   */
  public HttpFailure(int status, String code, String message) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** The status to answer with. */
  public int status() {
    return status;
  }

  /** The code of the error, for programs. */
  public String code() {
    return code;
  }
}
