package dev.headway.faultsim.simulation;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of everything that happens, as numbers. */
final class EventDigest {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int CAPACITY = 1 << 13;

  private final MessageDigest digest;
  private final byte[] buffer = new byte[CAPACITY];
  private int size;

  EventDigest() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Adds an event: its kind, what it is about, and up to two figures. */
  void add(int kind, long subject, long a, long b) {
    if (size + 24 > CAPACITY) {
      flush();
    }
    LONGS.set(buffer, size, ((long) kind << 56) | (subject & 0xff_ffff_ffff_ffffL));
    LONGS.set(buffer, size + 8, a);
    LONGS.set(buffer, size + 16, b);
    size += 24;
  }

  private void flush() {
    digest.update(buffer, 0, size);
    size = 0;
  }

  /** The digest of all so far, in hexadecimal; ends it. */
  String end() {
    flush();
    return HexFormat.of().formatHex(digest.digest());
  }
}
