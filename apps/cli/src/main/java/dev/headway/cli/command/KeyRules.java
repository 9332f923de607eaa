package dev.headway.cli.command;

import dev.headway.http.ApiKeys;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** What keys of a server must be, so that no server is open by mistake. Stateless. */
public final class KeyRules {

  private KeyRules() {}

  /**
   * Returns a key that was given, or null if none was.
   *
   * @param option its name
   * @throws IllegalArgumentException if it is blank: an unset secret is no key
   */
  public static @Nullable String given(String option, @Nullable String key) {
    if (key == null || key.isEmpty()) {
      return null;
    }
    if (key.isBlank()) {
      throw new IllegalArgumentException(
          option
              + " must not be blank, on the command line or in its variable: fill it in, or unset it");
    }
    return key;
  }

  /**
   * Returns the keys that were given, with commas between; {@link ApiKeys#NONE} if none was.
   *
   * @param option its name
   * @throws IllegalArgumentException if one is blank
   */
  public static ApiKeys keys(String option, @Nullable String written) {
    final String given = given(option, written);
    if (given == null) {
      return ApiKeys.NONE;
    }
    final String[] keys = given.split(",", -1);
    for (String key : keys) {
      if (key.isBlank()) {
        throw new IllegalArgumentException(
            option + " must have a key between any two commas: fill it in, or leave it out");
      }
    }
    return ApiKeys.of(keys);
  }

  /**
   * Refuses to serve others without a key, unless that is meant.
   *
   * @param isMeant whether {@code --allow-anonymous} was given
   * @throws IllegalArgumentException naming the options
   */
  public static void requireKeyForOthers(InetAddress address, ApiKeys keys, boolean isMeant) {
    if (keys.isEmpty() && !isMeant && !address.isLoopbackAddress()) {
      throw new IllegalArgumentException(
          "--api-key must be given where --host lets others in, or --allow-anonymous: --host="
              + address.getHostAddress());
    }
  }
}
