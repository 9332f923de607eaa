package dev.headway.cli.command;

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
   * Refuses to serve others without a key, unless that is meant.
   *
   * @param isMeant whether {@code --allow-anonymous} was given
   * @throws IllegalArgumentException naming the options
   */
  public static void requireKeyForOthers(
      InetAddress address, @Nullable String key, boolean isMeant) {
    if (key == null && !isMeant && !address.isLoopbackAddress()) {
      throw new IllegalArgumentException(
          "--api-key must be given where --host lets others in, or --allow-anonymous: --host="
              + address.getHostAddress());
    }
  }
}
