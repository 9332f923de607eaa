package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Reads a GGUF file from its first byte on, little-endian; never beyond its end. */
final class GgufCursor {

  /** Longer than any text of a model's metadata, and short enough for a heap. */
  private static final int MOST_TEXT_BYTES = 1 << 24;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Path path;
  private final MemorySegment file;
  private long position;

  GgufCursor(Path path, MemorySegment file) {
    this.path = path;
    this.file = file;
  }

  Path path() {
    return path;
  }

  long position() {
    return position;
  }

  ModelFormatException wrong(String reason) {
    return new ModelFormatException(path, reason);
  }

  byte int8() {
    return file.get(ValueLayout.JAVA_BYTE, take(1));
  }

  short int16() {
    return file.get(WeightType.SHORT, take(2));
  }

  int int32() {
    return file.get(PackedInts.INT, take(4));
  }

  long int64() {
    return file.get(LONG, take(8));
  }

  /** A number of things of at least so many bytes each, which must fit the rest of the file. */
  long count(String what, int leastBytes) {
    final long count = int64();
    if (count < 0 || count > (file.byteSize() - position) / leastBytes) {
      throw wrong(
          what
              + " must fit the file, which may be truncated: "
              + what
              + "="
              + Long.toUnsignedString(count)
              + ", bytes left="
              + (file.byteSize() - position));
    }
    return count;
  }

  String string() {
    final long length = count("length of a string", 1);
    if (length > MOST_TEXT_BYTES) {
      throw wrong("strings must be of at most " + MOST_TEXT_BYTES + " bytes: bytes=" + length);
    }
    final byte[] bytes = file.asSlice(take(length), length).toArray(ValueLayout.JAVA_BYTE);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Passes over bytes that are there. */
  void skip(long bytes) {
    take(bytes);
  }

  private long take(long bytes) {
    final long at = position;
    if (bytes > file.byteSize() - at) {
      throw wrong(
          "header must lie inside the file, which may be truncated: end="
              + (at + bytes)
              + ", file bytes="
              + file.byteSize());
    }
    position = at + bytes;
    return at;
  }
}
