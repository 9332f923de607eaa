package dev.headway.executor.model;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** A safetensors file that is put together tensor by tensor. */
final class SafetensorsBytes {

  private final Map<String, Object> header = new LinkedHashMap<>();
  private final ByteArrayOutputStream data = new ByteArrayOutputStream();

  void add(String name, String dtype, List<Integer> shape, byte[] bytes) {
    final long begin = data.size();
    data.writeBytes(bytes);
    header.put(
        name,
        Map.of("dtype", dtype, "shape", shape, "data_offsets", List.of(begin, (long) data.size())));
  }

  void addFloats(String name, WeightType type, List<Integer> shape, float... values) {
    final ByteBuffer bytes =
        ByteBuffer.allocate(type.bytes() * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float value : values) {
      switch (type) {
        case F32 -> bytes.putFloat(value);
        case F16 -> bytes.putShort(Float.floatToFloat16(value));
        case BF16 -> bytes.putShort(BFloat16.toBits(value));
      }
    }
    add(name, type.name(), shape, bytes.array());
  }

  void addInts(String name, List<Integer> shape, int... values) {
    final ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (int value : values) {
      bytes.putInt(value);
    }
    add(name, "I32", shape, bytes.array());
  }

  void write(Path file) throws IOException {
    final byte[] json =
        new JsonMapper().writeValueAsString(header).getBytes(StandardCharsets.UTF_8);
    final ByteBuffer bytes =
        ByteBuffer.allocate(8 + json.length + data.size()).order(ByteOrder.LITTLE_ENDIAN);
    Files.write(file, bytes.putLong(json.length).put(json).put(data.toByteArray()).array());
  }
}
