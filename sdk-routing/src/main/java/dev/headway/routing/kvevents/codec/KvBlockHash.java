package dev.headway.routing.kvevents.codec;

import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * An engine's name of a block: a number of 64 bits, or a digest. Two names are equal if their low
 * 64 bits are, so that an engine may change from one form to the other. Immutable.
 */
public final class KvBlockHash {

  private final long low64;
  private final byte @Nullable [] digest;

  private KvBlockHash(long low64, byte @Nullable [] digest) {
    this.low64 = low64;
    this.digest = digest;
  }

  /** A name that is a number, unsigned. */
  public static KvBlockHash ofLong(long bits) {
    return new KvBlockHash(bits, null);
  }

  /** A name that is a digest, which is copied. */
  public static KvBlockHash ofDigest(byte[] bytes) {
    return new KvBlockHash(low64(bytes), bytes.clone());
  }

  /** The last 8 bytes, read big-endian; fewer are padded with zeros in front. */
  private static long low64(byte[] bytes) {
    long value = 0;
    for (int i = Math.max(0, bytes.length - Long.BYTES); i < bytes.length; i++) {
      value = (value << Byte.SIZE) | (bytes[i] & 0xff);
    }
    return value;
  }

  /** The name's low 64 bits, all of it if it is a number. */
  public long low64() {
    return low64;
  }

  /** Whether it is a digest. */
  public boolean isDigest() {
    return digest != null;
  }

  /** A copy of the digest; of a number its 8 bytes, big-endian. */
  public byte[] bytes() {
    if (digest != null) {
      return digest.clone();
    }
    final byte[] bytes = new byte[Long.BYTES];
    for (int i = 0; i < Long.BYTES; i++) {
      bytes[i] = (byte) (low64 >>> (Byte.SIZE * (Long.BYTES - 1 - i)));
    }
    return bytes;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KvBlockHash that && low64 == that.low64;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(low64);
  }

  @Override
  public String toString() {
    return digest == null ? Long.toUnsignedString(low64) : HexFormat.of().formatHex(digest);
  }

  /** Whether two names are written the same, which {@link #equals} does not ask. */
  public boolean isWrittenAs(KvBlockHash that) {
    return low64 == that.low64 && Arrays.equals(digest, that.digest);
  }
}
