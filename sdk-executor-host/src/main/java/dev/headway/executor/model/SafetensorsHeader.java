package dev.headway.executor.model;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * The header of a safetensors file: a JSON object of {@code {"dtype", "shape", "data_offsets"}} by
 * tensor name. Offsets are bytes from the end of the header; together the tensors must cover the
 * rest of the file once, without gaps or overlaps, as the format's own library demands.
 */
final class SafetensorsHeader {

  private static final Map<String, Integer> BITS =
      Map.ofEntries(
          Map.entry("F64", 64),
          Map.entry("I64", 64),
          Map.entry("U64", 64),
          Map.entry("F32", 32),
          Map.entry("I32", 32),
          Map.entry("U32", 32),
          Map.entry("F16", 16),
          Map.entry("BF16", 16),
          Map.entry("I16", 16),
          Map.entry("U16", 16),
          Map.entry("F8_E4M3", 8),
          Map.entry("F8_E5M2", 8),
          Map.entry("I8", 8),
          Map.entry("U8", 8),
          Map.entry("BOOL", 8));

  /** A tensor as the header describes it; {@code begin} and {@code end} in bytes. */
  record Entry(String name, String dtype, List<Integer> shape, long begin, long end) {}

  private final Path file;
  private final Map<String, Entry> entries = new LinkedHashMap<>();

  private SafetensorsHeader(Path file) {
    this.file = file;
  }

  /** Parses and checks; {@code dataBytes} is what the file has behind the header. */
  static Map<String, Entry> parse(Path file, byte[] json, long dataBytes) {
    final SafetensorsHeader header = new SafetensorsHeader(file);
    for (Map.Entry<String, JsonNode> field : JsonFile.parse(file, json).root().properties()) {
      if (!field.getKey().equals("__metadata__")) {
        header.entries.put(field.getKey(), header.entry(field.getKey(), field.getValue()));
      }
    }
    header.requireCovered(dataBytes);
    return header.entries;
  }

  private Entry entry(String name, JsonNode node) {
    final JsonNode dtype = node.path("dtype");
    if (!dtype.isString()) {
      throw wrong(name, "dtype must be a string: dtype=" + dtype);
    }
    final long[] offsets = longs(name, node, "data_offsets");
    if (offsets.length != 2 || offsets[0] > offsets[1]) {
      throw wrong(
          name, "data_offsets must be [begin, end]: data_offsets=" + node.path("data_offsets"));
    }
    final List<Integer> shape = new ArrayList<>();
    long elements = 1;
    for (long size : longs(name, node, "shape")) {
      if (size > Integer.MAX_VALUE || Math.multiplyHigh(elements, size) != 0) {
        throw wrong(name, "shape is too large: shape=" + node.path("shape"));
      }
      shape.add((int) size);
      elements *= size;
    }
    requireSize(name, dtype.stringValue(), shape, elements, offsets[1] - offsets[0]);
    return new Entry(name, dtype.stringValue(), shape, offsets[0], offsets[1]);
  }

  private void requireSize(
      String name, String dtype, List<Integer> shape, long elements, long bytes) {
    final Integer bits = BITS.get(dtype);
    if (bits == null) {
      throw wrong(name, "dtype is not known: dtype=" + dtype);
    }
    if (elements < 0 || elements > Long.MAX_VALUE / 8 || elements * (bits / 8) != bytes) {
      throw wrong(
          name,
          "data_offsets must span the bytes of shape and dtype: shape="
              + shape
              + ", dtype="
              + dtype
              + ", bytes="
              + bytes);
    }
  }

  private long[] longs(String name, JsonNode node, String field) {
    final JsonNode array = node.path(field);
    if (!array.isArray()) {
      throw wrong(name, field + " must be a list of integers: " + field + "=" + array);
    }
    final long[] values = new long[array.size()];
    for (int i = 0; i < values.length; i++) {
      final JsonNode value = array.get(i);
      if (!value.isIntegralNumber() || !value.canConvertToLong() || value.longValue() < 0) {
        throw wrong(name, field + " must be a list of integers >= 0: " + field + "=" + array);
      }
      values[i] = value.longValue();
    }
    return values;
  }

  private void requireCovered(long dataBytes) {
    final List<Entry> sorted = new ArrayList<>(entries.values());
    sorted.sort(Comparator.comparingLong(Entry::begin).thenComparingLong(Entry::end));
    long covered = 0;
    for (Entry entry : sorted) {
      if (entry.end() > dataBytes) {
        throw wrong(
            entry.name(),
            "data_offsets must lie inside the file, which may be truncated: end="
                + entry.end()
                + ", bytes behind the header="
                + dataBytes);
      }
      if (entry.begin() != covered) {
        throw wrong(
            entry.name(),
            "data_offsets must follow the tensor before without "
                + (entry.begin() < covered ? "overlap" : "a gap")
                + ": begin="
                + entry.begin()
                + ", end of the tensor before="
                + covered);
      }
      covered = entry.end();
    }
    if (covered != dataBytes) {
      throw new ModelFormatException(
          file,
          "tensors must cover the file: bytes covered="
              + covered
              + ", bytes behind the header="
              + dataBytes);
    }
  }

  private ModelFormatException wrong(String tensor, String reason) {
    return new ModelFormatException(file, tensor, reason);
  }
}
