package dev.headway.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys that clients may send, each one a client of its own. Immutable. */
public final class ApiKeys {

  /** No key: requests are not asked for one. */
  public static final ApiKeys NONE = new ApiKeys(List.of());

  private static final String BEARER = "Bearer ";

  private final List<byte[]> keys;

  private ApiKeys(List<byte[]> keys) {
    this.keys = keys;
  }

  /**
   * Returns these keys.
   *
   * @throws IllegalArgumentException if one is blank
   */
  public static ApiKeys of(String... keys) {
    for (String key : keys) {
      if (key.isBlank()) {
        throw new IllegalArgumentException("a key must not be blank");
      }
    }
    return new ApiKeys(
        List.of(keys).stream().map(key -> key.getBytes(StandardCharsets.UTF_8)).toList());
  }

  /** Whether clients need none. */
  public boolean isEmpty() {
    return keys.isEmpty();
  }

  /**
   * Which of the keys a request carries, or null; takes as long whichever it is.
   *
   * @param header its {@code Authorization}, or null if it has none
   */
  public byte @Nullable [] keyOf(@Nullable String header) {
    if (header == null || !header.startsWith(BEARER)) {
      return null;
    }
    final byte[] given = header.substring(BEARER.length()).getBytes(StandardCharsets.UTF_8);
    byte[] found = null;
    for (byte[] key : keys) {
      found = MessageDigest.isEqual(given, key) ? key : found;
    }
    return found;
  }
}
