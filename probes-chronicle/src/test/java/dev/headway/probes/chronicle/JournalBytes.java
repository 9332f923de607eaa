package dev.headway.probes.chronicle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** The bytes of a data file, with the places of its records; for tests that change them. */
final class JournalBytes {

  private final Path file;
  private final byte[] bytes;
  private final ByteBuffer view;
  private final List<Integer> offsets = new ArrayList<>();
  private final List<Integer> metadata = new ArrayList<>();

  private JournalBytes(Path file) throws IOException {
    this.file = file;
    bytes = Files.readAllBytes(file);
    view = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int at = 0;
    while (at + 4 <= bytes.length && view.getInt(at) != 0) {
      if ((view.getInt(at) & 1 << 30) == 0) {
        offsets.add(at + 4);
      } else {
        metadata.add(at);
      }
      at = (at + 4 + (view.getInt(at) & 0x3FFF_FFFF) + 3) & -4;
    }
  }

  static JournalBytes of(Path file) throws IOException {
    return new JournalBytes(file);
  }

  int count() {
    return offsets.size();
  }

  /** Where Chronicle's own documents begin: the file's header, and the pages of its index. */
  List<Integer> metadata() {
    return metadata;
  }

  /** Where a record begins, behind Chronicle's header of four bytes. */
  int offset(int record) {
    return offsets.get(record);
  }

  byte[] record(int record) {
    final int offset = offset(record);
    return Arrays.copyOfRange(bytes, offset, offset + view.getInt(offset));
  }

  byte[] all() {
    return bytes;
  }

  JournalBytes flip(int offset) {
    bytes[offset] ^= 0x10;
    return this;
  }

  /** Changes the type of a record, and its checksum. */
  JournalBytes setType(int record, int type) {
    view.putShort(offset(record) + 4, (short) type);
    return reseal(record);
  }

  JournalBytes setSchemaVersion(int record, int version) {
    view.putShort(offset(record) + 6, (short) version);
    return reseal(record);
  }

  void save() throws IOException {
    Files.write(file, bytes);
  }

  JournalBytes reseal(int record) {
    final int offset = offset(record);
    final int checked = view.getInt(offset) - 4;
    final CRC32C crc = new CRC32C();
    final int runId = offset(0) + 24; // in the start record
    crc.update(bytes, runId, Long.BYTES);
    crc.update(bytes, offset, checked);
    view.putInt(offset + checked, (int) crc.getValue());
    return this;
  }
}
