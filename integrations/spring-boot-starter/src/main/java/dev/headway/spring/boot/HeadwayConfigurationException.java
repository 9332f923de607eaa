package dev.headway.spring.boot;

/** An engine cannot be made of the properties and beans; the message says why. */
public final class HeadwayConfigurationException extends RuntimeException {

  private static final long serialVersionUID = 1;

  HeadwayConfigurationException(String message) {
    super(message);
  }

  HeadwayConfigurationException(RuntimeException cause) {
    super(cause.getMessage(), cause);
  }

  HeadwayConfigurationException(String message, Exception cause) {
    super(message, cause);
  }
}
