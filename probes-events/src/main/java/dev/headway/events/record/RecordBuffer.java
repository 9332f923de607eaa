package dev.headway.events.record;

import static dev.headway.api.Absent.ABSENT;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Takes one record at a time: {@link #begin}, the fields in order, {@link #finish}.
 *
 * <p>One thread. The array grows to the largest record so far and is reused; apart from that
 * nothing is allocated.
 */
public final class RecordBuffer {

  /** Longest record, in bytes. */
  public static final int MAX_RECORD_BYTES = 4 << 20;

  /** Longest text, in bytes of UTF-8; the mark of a cut text comes on top. */
  public static final int MAX_TEXT_BYTES = 1 << 20;

  /** Longest message of a failure, a rejection or an abort, counted as texts are. */
  public static final int MAX_MESSAGE_BYTES = 1 << 10;

  /** Length, type, version, sequence. */
  static final int HEADER_BYTES = 16;

  /** The checksum. */
  static final int TRAILER_BYTES = 4;

  static final VarHandle I16 =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle I32 =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  static final VarHandle I64 =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int TYPE_OFFSET = 4;
  private static final int VERSION_OFFSET = 6;
  private static final int SEQUENCE_OFFSET = 8;

  private final CRC32C crc = new CRC32C();
  private final byte[] seed = new byte[Long.BYTES];
  private byte[] bytes;
  private int position;

  /** Makes a buffer that first grows beyond {@code initialBytes}. */
  public RecordBuffer(int initialBytes) {
    bytes = new byte[initialBytes];
  }

  /** The array that holds the record, from index 0; another one after growth. */
  public byte[] array() {
    return bytes;
  }

  /** Bytes that the record takes when it is finished now. */
  public int length() {
    return ((position + 3) & -4) + TRAILER_BYTES;
  }

  /**
   * Completes the record.
   *
   * @param sequence its place in the run, from 1
   * @param runId of its run: the checksum covers it, so that a record of another run is refused
   * @return its length in bytes
   */
  public int finish(long sequence, long runId) {
    while ((position & 3) != 0) {
      putByte(0);
    }
    ensure(TRAILER_BYTES);
    final int length = position + TRAILER_BYTES;
    I32.set(bytes, 0, length);
    I64.set(bytes, SEQUENCE_OFFSET, sequence);
    I64.set(seed, 0, runId);
    crc.reset();
    crc.update(seed, 0, seed.length);
    crc.update(bytes, 0, position);
    I32.set(bytes, position, (int) crc.getValue());
    return length;
  }

  /** Returns a hash of what was put so far. */
  long contentHash() {
    long hash = 0xcbf29ce484222325L; // FNV-1a
    for (int index = 0; index < position; index++) {
      hash = (hash ^ (bytes[index] & 0xFF)) * 0x100000001b3L;
    }
    return hash;
  }

  RecordBuffer begin(int type) {
    position = HEADER_BYTES;
    I16.set(bytes, TYPE_OFFSET, (short) type);
    I16.set(bytes, VERSION_OFFSET, (short) RecordType.SCHEMA_VERSION);
    return this;
  }

  RecordBuffer putByte(int value) {
    ensure(1);
    bytes[position++] = (byte) value;
    return this;
  }

  RecordBuffer putShort(int value) {
    ensure(2);
    I16.set(bytes, position, (short) value);
    position += 2;
    return this;
  }

  RecordBuffer putInt(int value) {
    ensure(4);
    I32.set(bytes, position, value);
    position += 4;
    return this;
  }

  RecordBuffer putLong(long value) {
    ensure(8);
    I64.set(bytes, position, value);
    position += 8;
    return this;
  }

  /** Puts the number of a request; -1 for one that is absent. */
  RecordBuffer putNumber(long number) {
    return putLong(number == ABSENT ? -1 : number);
  }

  RecordBuffer putText(@Nullable String text) {
    return putText(text, MAX_TEXT_BYTES);
  }

  /** Puts what failed, in words; what is longer than {@link #MAX_MESSAGE_BYTES} is cut. */
  RecordBuffer putMessage(@Nullable String text) {
    return putText(text, MAX_MESSAGE_BYTES);
  }

  private RecordBuffer putText(@Nullable String text, int maxBytes) {
    if (text == null) {
      return putInt(-1);
    }
    final int start = position;
    putInt(0);
    final int end = text.length();
    for (int index = 0; index < end; index++) {
      if (position - start - 4 > maxBytes - 4) {
        putCutMark(text);
        break;
      }
      final char unit = text.charAt(index);
      if (Character.isHighSurrogate(unit)
          && index + 1 < end
          && Character.isLowSurrogate(text.charAt(index + 1))) {
        putCodePoint(Character.toCodePoint(unit, text.charAt(++index)));
      } else {
        putCodePoint(unit);
      }
    }
    I32.set(bytes, start, position - start - 4);
    return this;
  }

  /** Makes room for {@code count} bytes, skips them, and returns where they begin. */
  int reserve(int count) {
    ensure(count);
    final int start = position;
    position += count;
    return start;
  }

  /** Goes back to {@code start}, to write what is there again. */
  void rewind(int start) {
    position = start;
  }

  private void putCodePoint(int codePoint) {
    ensure(4);
    if (codePoint < 0x80) {
      bytes[position++] = (byte) codePoint;
    } else if (codePoint < 0x800) {
      bytes[position++] = (byte) (0xC0 | (codePoint >> 6));
      bytes[position++] = (byte) (0x80 | (codePoint & 0x3F));
    } else if (codePoint < 0x10000) {
      bytes[position++] = (byte) (0xE0 | (codePoint >> 12));
      bytes[position++] = (byte) (0x80 | ((codePoint >> 6) & 0x3F));
      bytes[position++] = (byte) (0x80 | (codePoint & 0x3F));
    } else {
      bytes[position++] = (byte) (0xF0 | (codePoint >> 18));
      bytes[position++] = (byte) (0x80 | ((codePoint >> 12) & 0x3F));
      bytes[position++] = (byte) (0x80 | ((codePoint >> 6) & 0x3F));
      bytes[position++] = (byte) (0x80 | (codePoint & 0x3F));
    }
  }

  private void putCutMark(String text) {
    final byte[] mark = ("…[cut, " + text.length() + " chars]").getBytes(StandardCharsets.UTF_8);
    final int start = reserve(mark.length);
    System.arraycopy(mark, 0, bytes, start, mark.length);
  }

  private void ensure(int count) {
    if (bytes.length - position < count) {
      grow(count);
    }
  }

  private void grow(int count) {
    final long needed = (long) position + count;
    if (needed > MAX_RECORD_BYTES) {
      throw new IllegalArgumentException(
          "journal record must be <= 4194304 bytes: type="
              + RecordType.name((short) I16.get(bytes, TYPE_OFFSET))
              + ", bytes>="
              + needed);
    }
    bytes = Arrays.copyOf(bytes, (int) Math.min(MAX_RECORD_BYTES, Math.max(needed, 2L * position)));
  }
}
