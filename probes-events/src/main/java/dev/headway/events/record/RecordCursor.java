package dev.headway.events.record;

import static dev.headway.api.Absent.ABSENT;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Looks at one record inside a byte array. Offsets count from the start of the record; reading past
 * its payload throws {@link MalformedRecordException}. One thread; allocates for texts only.
 */
public final class RecordCursor {

  private final CRC32C crc = new CRC32C();
  private final byte[] seed = new byte[Long.BYTES];
  private byte[] bytes = {};
  private int base;
  private int end;
  private int next;

  /** Begins with nothing. */
  public RecordCursor() {}

  /** Points at the {@code length} bytes from {@code offset} on. */
  public void wrap(byte[] bytes, int offset, int length) {
    this.bytes = bytes;
    this.base = offset;
    this.end = length - RecordBuffer.TRAILER_BYTES;
    this.next = RecordBuffer.HEADER_BYTES;
  }

  /**
   * Checks what every record has: its length, the checksum and its place in the run.
   *
   * @param sequence the number it must have
   * @param runId of the run; not looked at in records of schema 1, whose checksum does not have it
   * @return what is wrong, or null
   */
  public @Nullable String fault(long sequence, long runId) {
    final int length = end + RecordBuffer.TRAILER_BYTES;
    if (end < RecordBuffer.HEADER_BYTES || (length & 3) != 0) {
      return "expected a record of >= 20 bytes and a multiple of 4, found " + length;
    }
    if (rawInt(0) != length) {
      return "expected length " + length + ", found " + rawInt(0);
    }
    crc.reset();
    if (schemaVersion() >= 2) {
      RecordBuffer.I64.set(seed, 0, runId);
      crc.update(seed, 0, seed.length);
    }
    crc.update(bytes, base, end);
    final int computed = (int) crc.getValue();
    if (computed != rawInt(end)) {
      return String.format("expected crc %08x, found %08x", rawInt(end), computed);
    }
    if (type() <= 0) {
      return "expected a type >= 1, found " + type();
    }
    if (sequence() != sequence) {
      return "expected sequence " + sequence + ", found " + sequence();
    }
    return null;
  }

  /** Bytes of the record. */
  public int length() {
    return end + RecordBuffer.TRAILER_BYTES;
  }

  /** The type, unchecked. */
  public int type() {
    return (short) RecordBuffer.I16.get(bytes, base + 4);
  }

  /** The schema version, unchecked. */
  public int schemaVersion() {
    return (short) RecordBuffer.I16.get(bytes, base + 6);
  }

  /** The place in the run, unchecked. */
  public long sequence() {
    return (long) RecordBuffer.I64.get(bytes, base + 8);
  }

  int byteAt(int offset) {
    require(offset, 1);
    return bytes[base + offset] & 0xFF;
  }

  int intAt(int offset) {
    require(offset, 4);
    return rawInt(offset);
  }

  long longAt(int offset) {
    require(offset, 8);
    return (long) RecordBuffer.I64.get(bytes, base + offset);
  }

  /** A number that an older writer did not write. */
  long longOrAbsentAt(int offset) {
    return offset + Long.BYTES <= end ? longAt(offset) : ABSENT;
  }

  /** A count that older records do not have. */
  long countOrAbsentAt(int offset) {
    return offset + Integer.BYTES <= end ? intAt(offset) : ABSENT;
  }

  /** The number of a request; absent if there is none. */
  long numberAt(int offset) {
    final long number = longAt(offset);
    return number == -1 ? ABSENT : number;
  }

  int shortAt(int offset) {
    require(offset, 2);
    return (short) RecordBuffer.I16.get(bytes, base + offset);
  }

  /** Requires {@code count} bytes of payload from {@code offset} on. */
  void require(int offset, long count) {
    if (count < 0 || offset + count > end) {
      throw new MalformedRecordException(
          "expected a payload of >= "
              + (offset + count - RecordBuffer.HEADER_BYTES)
              + " bytes, found "
              + (end - RecordBuffer.HEADER_BYTES));
    }
  }

  /** Sets where {@link #nextText} and {@link #nextCount} read. */
  void seek(int offset) {
    next = offset;
  }

  int nextCount() {
    final int value = intAt(next);
    next += 4;
    return value;
  }

  long nextLong() {
    final long value = longAt(next);
    next += 8;
    return value;
  }

  /** Bytes behind what was read in order, up to three of padding among them. */
  int remaining() {
    return end - next;
  }

  /** Goes behind a text, present or not, without making it. */
  void skipText() {
    final int length = nextCount();
    if (length != -1) {
      require(next, length);
      next += length;
    }
  }

  @Nullable String nextNullableText() {
    final int length = nextCount();
    if (length == -1) {
      return null;
    }
    require(next, length);
    final int from = base + next;
    next += length;
    final String text = new String(bytes, from, length, StandardCharsets.UTF_8);
    // U+FFFD says that the decoder met an unpaired surrogate, or that the text contains it
    return text.indexOf('\uFFFD') < 0 ? text : exactText(from, from + length);
  }

  String nextText() {
    final String text = nextNullableText();
    if (text == null) {
      throw new MalformedRecordException("expected a text, found none");
    }
    return text;
  }

  private String exactText(int from, int to) {
    final StringBuilder text = new StringBuilder(to - from);
    int at = from;
    while (at < to) {
      final int first = bytes[at++] & 0xFF;
      final int more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
      int codePoint = more == 0 ? first : first & (0x3F >> more);
      for (int index = 0; index < more && at < to; index++) {
        codePoint = (codePoint << 6) | (bytes[at++] & 0x3F);
      }
      if (!Character.isValidCodePoint(codePoint)) {
        throw new MalformedRecordException(
            String.format("expected a text in UTF-8, found code point %x", codePoint));
      }
      text.appendCodePoint(codePoint);
    }
    return text.toString();
  }

  private int rawInt(int offset) {
    return (int) RecordBuffer.I32.get(bytes, base + offset);
  }
}
