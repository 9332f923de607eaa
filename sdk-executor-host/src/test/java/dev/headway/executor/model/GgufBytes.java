package dev.headway.executor.model;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** A GGUF file that is put together field by field and tensor by tensor. */
final class GgufBytes {

  private static final int ALIGNMENT = 32;

  private final Map<String, Object> metadata = new LinkedHashMap<>();
  private final Map<String, Tensor> tensors = new LinkedHashMap<>();

  /** Dimensions are as the file has them: columns first. */
  record Tensor(int type, long[] dimensions, byte[] bytes, long shift) {}

  /** A string, an int, a float, or strings. */
  GgufBytes put(String key, Object value) {
    metadata.put(key, value);
    return this;
  }

  GgufBytes remove(String key) {
    metadata.remove(key);
    tensors.remove(key);
    return this;
  }

  Map<String, Tensor> tensors() {
    return tensors;
  }

  GgufBytes tensor(String name, int type, byte[] bytes, long... dimensions) {
    tensors.put(name, new Tensor(type, dimensions, bytes, 0));
    return this;
  }

  byte[] bytes() {
    final Output header = new Output();
    header.int32(0x46554747);
    header.int32(3);
    header.int64(tensors.size());
    header.int64(metadata.size());
    metadata.forEach(
        (key, value) -> {
          header.string(key);
          header.value(value);
        });
    final Output data = new Output();
    tensors.forEach(
        (name, tensor) -> {
          header.string(name);
          header.int32(tensor.dimensions().length);
          for (long dimension : tensor.dimensions()) {
            header.int64(dimension);
          }
          header.int32(tensor.type());
          header.int64(data.size() + tensor.shift());
          data.writeBytes(tensor.bytes());
          data.pad();
        });
    header.pad();
    header.writeBytes(data.toByteArray());
    return header.toByteArray();
  }

  private static final class Output extends ByteArrayOutputStream {

    void int32(int value) {
      writeBytes(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array());
    }

    void int64(long value) {
      writeBytes(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array());
    }

    void string(String text) {
      final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      int64(bytes.length);
      writeBytes(bytes);
    }

    void value(Object value) {
      switch (value) {
        case String text -> {
          int32(8);
          string(text);
        }
        case Integer number -> {
          int32(4);
          int32(number);
        }
        case Float number -> {
          int32(6);
          int32(Float.floatToRawIntBits(number));
        }
        case String[] texts -> {
          int32(9);
          int32(8);
          int64(texts.length);
          for (String text : texts) {
            string(text);
          }
        }
        default -> throw new IllegalArgumentException("value=" + value);
      }
    }

    void pad() {
      while (size() % ALIGNMENT != 0) {
        write(0);
      }
    }
  }
}
