package dev.headway.executor.model;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Map;

/**
 * A mapped safetensors file: eight bytes of header length, little-endian, the header, the tensors.
 *
 * <p>Format: <a href="https://github.com/huggingface/safetensors#format">safetensors</a>.
 */
final class SafetensorsFile {

  /** The longest header that the format's own library reads, in bytes. */
  static final long MAX_HEADER_BYTES = 100_000_000;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Path path;
  private final Map<String, SafetensorsHeader.Entry> entries;
  private final MemorySegment data;

  private SafetensorsFile(
      Path path, Map<String, SafetensorsHeader.Entry> entries, MemorySegment data) {
    this.path = path;
    this.entries = entries;
    this.data = data;
  }

  /** Maps the file for the life of {@code arena} and checks its header. */
  static SafetensorsFile open(Path path, Arena arena) {
    final MemorySegment file = MappedFile.open(path, arena);
    final long headerBytes = headerBytes(path, file);
    final byte[] json = file.asSlice(8, headerBytes).toArray(ValueLayout.JAVA_BYTE);
    final MemorySegment data = file.asSlice(8 + headerBytes);
    return new SafetensorsFile(path, SafetensorsHeader.parse(path, json, data.byteSize()), data);
  }

  private static long headerBytes(Path path, MemorySegment file) {
    if (file.byteSize() < 8) {
      throw new ModelFormatException(
          path, "file must begin with the header's length, 8 bytes: bytes=" + file.byteSize());
    }
    final long headerBytes = file.get(LONG, 0);
    if (headerBytes < 2 || headerBytes > MAX_HEADER_BYTES || headerBytes > file.byteSize() - 8) {
      throw new ModelFormatException(
          path,
          "header must be at least 2 bytes, at most "
              + MAX_HEADER_BYTES
              + ", and lie inside the file: header bytes="
              + Long.toUnsignedString(headerBytes)
              + ", file bytes="
              + file.byteSize());
    }
    return headerBytes;
  }

  Path path() {
    return path;
  }

  Map<String, SafetensorsHeader.Entry> entries() {
    return entries;
  }

  /** A tensor that is known to be there. */
  SafetensorsHeader.Entry entry(String tensor) {
    final SafetensorsHeader.Entry entry = entries.get(tensor);
    if (entry == null) {
      throw new IllegalStateException("files are listed by their tensors: tensor=" + tensor);
    }
    return entry;
  }

  /** The bytes of a tensor that the header has. */
  MemorySegment bytes(SafetensorsHeader.Entry entry) {
    return data.asSlice(entry.begin(), entry.end() - entry.begin());
  }
}
