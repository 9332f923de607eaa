package dev.headway.probes.chronicle;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Data files of journals out of the bytes of a fuzzer. */
final class RecordFiles {

  private static final byte[] STORE_MARK = "??header".getBytes(StandardCharsets.US_ASCII);
  private static final int METADATA = 1 << 30;
  private static final int HEADER_BYTES = 16;
  private static final int CRC_BYTES = 4;

  private RecordFiles() {}

  /** The shortest head of a file, and what comes behind it. */
  static byte[] store(byte[] documents) {
    return little(4 + STORE_MARK.length + documents.length)
        .putInt(METADATA | STORE_MARK.length)
        .put(STORE_MARK)
        .put(documents)
        .array();
  }

  /**
   * Records out of {@code input}: a byte with their schema's major version, then for each record
   * its type in a byte, the length of its payload in two, and the payload.
   */
  static byte[] sealed(byte[] input) {
    final ByteBuffer in = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    final int schema = in.hasRemaining() ? in.get() : 0;
    long runId = 0;
    for (long sequence = 1; in.remaining() >= 3; sequence++) {
      final int type = in.get();
      final byte[] payload = new byte[Math.min(in.getShort() & 0xFFFF, in.remaining())];
      in.get(payload);
      final int length = HEADER_BYTES + (payload.length + 3 & -4) + CRC_BYTES;
      final ByteBuffer record = little(4 + length).putInt(length).putInt(length);
      record.putShort((short) type).putShort((short) schema).putLong(sequence).put(payload);
      if (sequence == 1 && payload.length >= 16) {
        runId = record.getLong(4 + 24);
      }
      record.putInt(length, crc(record.array(), length - CRC_BYTES, schema, runId));
      out.writeBytes(record.array());
    }
    return out.toByteArray();
  }

  private static int crc(byte[] record, int bytes, int schema, long runId) {
    final CRC32C crc = new CRC32C();
    if (schema >= 2) {
      crc.update(little(Long.BYTES).putLong(runId).flip());
    }
    crc.update(record, 4, bytes);
    return (int) crc.getValue();
  }

  private static ByteBuffer little(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
