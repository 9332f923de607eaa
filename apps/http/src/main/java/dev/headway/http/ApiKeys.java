package dev.headway.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The keys that clients may send, each one a client of its own. Immutable. */
public final class ApiKeys {

  /** No key: requests are not asked for one. */
  public static final ApiKeys NONE = new ApiKeys(List.of());

  private static final String BEARER = "Bearer ";
  private static final Pattern NAMED = Pattern.compile("([A-Za-z0-9._-]{1,64}):(.+)");

  private final List<Key> keys;

  private ApiKeys(List<Key> keys) {
    this.keys = keys;
  }

  /** A key. Its name is no secret, and may be recorded. */
  public static final class Key {

    private final @Nullable String tenant;
    private final byte[] secret;

    private Key(@Nullable String tenant, String secret) {
      this.tenant = tenant;
      this.secret = secret.getBytes(StandardCharsets.UTF_8);
    }

    /** Whose requests come with it; null if the key has no name and is the only one. */
    public @Nullable String tenant() {
      return tenant;
    }

    /** What the client sends, in UTF-8; a copy. */
    public byte[] secret() {
      return secret.clone();
    }
  }

  /**
   * Returns these keys.
   *
   * @param keys each {@code KEY} or {@code TENANT:KEY}, with a name of at most 64 letters, digits
   *     and {@code . _ -}; of several, those without a name are {@code key-1}, {@code key-2}, … by
   *     their place
   * @throws IllegalArgumentException if one is blank
   */
  public static ApiKeys of(String... keys) {
    final Key[] all = new Key[keys.length];
    for (int index = 0; index < keys.length; index++) {
      final Matcher named = NAMED.matcher(keys[index]);
      final boolean hasName = named.matches();
      final String secret = hasName ? named.group(2) : keys[index];
      if (secret.isBlank()) {
        throw new IllegalArgumentException("a key must not be blank");
      }
      final String place = keys.length == 1 ? null : "key-" + (index + 1);
      all[index] = new Key(hasName ? named.group(1) : place, secret);
    }
    return new ApiKeys(List.copyOf(Arrays.asList(all)));
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
  public @Nullable Key keyOf(@Nullable String header) {
    if (header == null || !header.startsWith(BEARER)) {
      return null;
    }
    final byte[] given = header.substring(BEARER.length()).getBytes(StandardCharsets.UTF_8);
    Key found = null;
    for (Key key : keys) {
      found = MessageDigest.isEqual(given, key.secret) ? key : found;
    }
    return found;
  }
}
