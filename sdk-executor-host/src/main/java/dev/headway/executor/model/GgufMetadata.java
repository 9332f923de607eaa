package dev.headway.executor.model;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The metadata of a GGUF file. A value is a {@link Long}, a {@link Double}, a {@link Boolean}, a
 * {@link String}, or an {@link Array}, whose elements are passed over: vocabularies are long.
 */
final class GgufMetadata {

  private static final int ARRAY = 9;
  private static final int STRING = 8;
  private static final int DEEPEST = 4;

  /** Elements that were not read. */
  record Array(long count) {}

  private final Path path;
  private final Map<String, Object> values = new LinkedHashMap<>();

  private GgufMetadata(Path path) {
    this.path = path;
  }

  static GgufMetadata read(GgufCursor cursor, long fields) {
    final GgufMetadata metadata = new GgufMetadata(cursor.path());
    for (long i = 0; i < fields; i++) {
      final String key = cursor.string();
      if (metadata.values.put(key, value(cursor, cursor.int32(), 0)) != null) {
        throw cursor.wrong("metadata must have each key once: key=" + key);
      }
    }
    final long alignment = metadata.optionalLong("general.alignment", 32);
    if (alignment < 1 || alignment > 1 << 20 || Long.bitCount(alignment) != 1) {
      throw cursor.wrong(
          "general.alignment must be a power of two of at most 2^20: general.alignment="
              + alignment);
    }
    return metadata;
  }

  private static Object value(GgufCursor cursor, int type, int depth) {
    return switch (type) {
      case 0 -> (long) Byte.toUnsignedInt(cursor.int8());
      case 1 -> (long) cursor.int8();
      case 2 -> (long) Short.toUnsignedInt(cursor.int16());
      case 3 -> (long) cursor.int16();
      case 4 -> Integer.toUnsignedLong(cursor.int32());
      case 5 -> (long) cursor.int32();
      case 6 -> (double) Float.intBitsToFloat(cursor.int32());
      case 7 -> cursor.int8() != 0;
      case STRING -> cursor.string();
      case ARRAY -> array(cursor, depth);
      case 10, 11 -> cursor.int64();
      case 12 -> Double.longBitsToDouble(cursor.int64());
      default ->
          throw cursor.wrong(
              "type of a value must be in [0, 12]: type=" + Integer.toUnsignedString(type));
    };
  }

  private static Array array(GgufCursor cursor, int depth) {
    if (depth == DEEPEST) {
      throw cursor.wrong("arrays must lie within each other at most " + DEEPEST + " deep");
    }
    final int type = cursor.int32();
    final int bytes =
        switch (type) {
          case 0, 1, 7 -> 1;
          case 2, 3 -> 2;
          case 4, 5, 6 -> 4;
          case 10, 11, 12, STRING -> 8;
          case ARRAY -> 12;
          default ->
              throw cursor.wrong(
                  "type of a value must be in [0, 12]: type=" + Integer.toUnsignedString(type));
        };
    final long count = cursor.count("length of an array", bytes);
    if (type != STRING && type != ARRAY) {
      cursor.skip(count * bytes);
      return new Array(count);
    }
    for (long i = 0; i < count; i++) {
      if (type == STRING) {
        cursor.skip(cursor.count("length of a string", 1));
      } else {
        array(cursor, depth + 1);
      }
    }
    return new Array(count);
  }

  Set<String> keys() {
    return values.keySet();
  }

  boolean has(String key) {
    return values.containsKey(key);
  }

  String requiredString(String key) {
    if (required(key) instanceof String text) {
      return text;
    }
    throw wrong(key, "a string");
  }

  String optionalString(String key, String absent) {
    return has(key) ? requiredString(key) : absent;
  }

  int requiredInt(String key) {
    if (!(required(key) instanceof Long number)) {
      throw wrong(key, "an integer");
    }
    if (number < 0 || number > Integer.MAX_VALUE) {
      throw wrong(key, "in [0, 2^31)");
    }
    return number.intValue();
  }

  int optionalInt(String key, int absent) {
    return has(key) ? requiredInt(key) : absent;
  }

  long optionalLong(String key, long absent) {
    return has(key) ? requiredInt(key) : absent;
  }

  double requiredDouble(String key) {
    if (required(key) instanceof Double number) {
      return number;
    }
    throw wrong(key, "a float");
  }

  double optionalDouble(String key, double absent) {
    return has(key) ? requiredDouble(key) : absent;
  }

  private Object required(String key) {
    final Object value = values.get(key);
    if (value == null) {
      throw new ModelFormatException(path, key + " must be given");
    }
    return value;
  }

  /** Refuses a value that is there. */
  ModelFormatException wrong(String key, String expected) {
    return new ModelFormatException(
        path, key + " must be " + expected + ": " + key + "=" + values.get(key));
  }
}
