package dev.headway.executor.model;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A mapped GGUF file: metadata, descriptions of tensors, and behind them, aligned, the tensors.
 *
 * <p>Format: <a href="https://github.com/ggml-org/ggml/blob/master/docs/gguf.md">GGUF</a>, version
 * 3, and 2, which is the same without big-endian files; those are refused.
 */
final class GgufFile {

  private static final int MAGIC = 0x46554747;
  private static final int MOST_DIMENSIONS = 4;

  /**
   * A tensor as the file describes it.
   *
   * @param columns elements of a row: the first dimension
   * @param rows all others
   */
  record Entry(String name, GgmlType type, long columns, long rows, MemorySegment bytes) {}

  /** A description, before it is known where the tensors begin. */
  private record Described(String name, int type, long columns, long rows, long offset) {}

  private final Path path;
  private final GgufMetadata metadata;
  private final Map<String, Entry> entries;

  private GgufFile(Path path, GgufMetadata metadata, Map<String, Entry> entries) {
    this.path = path;
    this.metadata = metadata;
    this.entries = entries;
  }

  /** Maps the file for the life of {@code arena} and checks its header. */
  static GgufFile open(Path path, Arena arena) {
    final MemorySegment file = MappedFile.open(path, arena);
    return read(new GgufCursor(path, file), file);
  }

  private static GgufFile read(GgufCursor cursor, MemorySegment file) {
    if (file.byteSize() < 8 || cursor.int32() != MAGIC) {
      throw cursor.wrong("file must begin with GGUF");
    }
    final int version = cursor.int32();
    if (version != 2 && version != 3) {
      throw cursor.wrong("version must be 2 or 3: version=" + Integer.toUnsignedString(version));
    }
    final long tensors = cursor.count("tensor_count", 24);
    final long fields = cursor.count("metadata_kv_count", 12);
    final GgufMetadata metadata = GgufMetadata.read(cursor, fields);
    final Map<String, Described> described = new LinkedHashMap<>();
    for (long i = 0; i < tensors; i++) {
      final Described tensor = describe(cursor);
      if (described.put(tensor.name(), tensor) != null) {
        throw new ModelFormatException(cursor.path(), tensor.name(), "tensor must be named once");
      }
    }
    final long begin = align(cursor.position(), metadata.optionalLong("general.alignment", 32));
    final Map<String, Entry> entries = new LinkedHashMap<>();
    for (Described tensor : described.values()) {
      entries.put(tensor.name(), entry(cursor.path(), tensor, file, begin));
    }
    return new GgufFile(cursor.path(), metadata, entries);
  }

  private static Described describe(GgufCursor cursor) {
    final String name = cursor.string();
    final int dimensions = cursor.int32();
    if (dimensions < 1 || dimensions > MOST_DIMENSIONS) {
      throw new ModelFormatException(
          cursor.path(),
          name,
          "n_dimensions must be in [1, 4]: n_dimensions=" + Integer.toUnsignedString(dimensions));
    }
    final long columns = size(cursor, name);
    long rows = 1;
    for (int i = 1; i < dimensions; i++) {
      final long size = size(cursor, name);
      if (Math.multiplyHigh(rows, size) != 0 || rows * size > Integer.MAX_VALUE) {
        throw new ModelFormatException(cursor.path(), name, "dimensions are too large");
      }
      rows *= size;
    }
    return new Described(name, cursor.int32(), columns, rows, cursor.int64());
  }

  private static long size(GgufCursor cursor, String name) {
    final long size = cursor.int64();
    if (size < 1 || size > Integer.MAX_VALUE) {
      throw new ModelFormatException(
          cursor.path(),
          name,
          "dimensions must be in [1, 2^31): dimension=" + Long.toUnsignedString(size));
    }
    return size;
  }

  private static long align(long position, long alignment) {
    return Math.ceilDiv(position, alignment) * alignment;
  }

  private static Entry entry(Path path, Described tensor, MemorySegment file, long begin) {
    final GgmlType type =
        GgmlType.of(tensor.type())
            .orElseThrow(
                () ->
                    new ModelFormatException(
                        path,
                        tensor.name(),
                        "type must be F32, F16, BF16, Q4_0, Q8_0, Q4_K, Q5_K or Q6_K: type="
                            + GgmlType.name(tensor.type())));
    if (tensor.columns() % type.elements() != 0) {
      throw new ModelFormatException(
          path,
          tensor.name(),
          "rows must be of whole blocks: columns="
              + tensor.columns()
              + ", elements of a block of "
              + type
              + "="
              + type.elements());
    }
    final long bytes = tensor.columns() / type.elements() * type.bytes() * tensor.rows();
    final long offset = tensor.offset();
    if (offset < 0 || begin > file.byteSize() || offset > file.byteSize() - begin - bytes) {
      throw new ModelFormatException(
          path,
          tensor.name(),
          "tensor must lie inside the file, which may be truncated: offset="
              + Long.toUnsignedString(offset)
              + ", bytes="
              + bytes
              + ", bytes behind the header="
              + Math.max(0, file.byteSize() - begin));
    }
    return new Entry(
        tensor.name(), type, tensor.columns(), tensor.rows(), file.asSlice(begin + offset, bytes));
  }

  Path path() {
    return path;
  }

  GgufMetadata metadata() {
    return metadata;
  }

  Map<String, Entry> entries() {
    return entries;
  }
}
