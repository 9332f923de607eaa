package dev.headway.server;

import dev.headway.server.Access.PrefixSharing;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The salts of cached prefixes: of the key that a request carries, narrowed by its {@code
 * cache_salt}. A client without that key cannot name the salt, as a secret of this process is in
 * it. Any thread.
 */
final class CacheSalts {

  private static final String MAC = "HmacSHA256";
  private static final int SECRET_BYTES = 32;

  private final PrefixSharing sharing;
  private final SecretKeySpec secret;

  CacheSalts(PrefixSharing sharing) {
    this.sharing = sharing;
    final byte[] random = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(random);
    this.secret = new SecretKeySpec(random, MAC);
  }

  /**
   * Returns the salt of a request.
   *
   * @param key that it carries, or null if the server has none
   * @param asked {@code cache_salt} of its body, "" for none
   */
  String of(byte @Nullable [] key, String asked) {
    if (key == null || sharing == PrefixSharing.BETWEEN_KEYS) {
      return asked;
    }
    try {
      final Mac mac = Mac.getInstance(MAC);
      mac.init(secret);
      final byte[] ofKey = mac.doFinal(key); // of one length, so what follows begins in one place
      mac.update(ofKey);
      return HexFormat.of().formatHex(mac.doFinal(asked.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + MAC, e);
    }
  }
}
