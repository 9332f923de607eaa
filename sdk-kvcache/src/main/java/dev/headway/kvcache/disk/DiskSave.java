package dev.headway.kvcache.disk;

import dev.headway.api.step.TransferReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Writes blocks of a request that has ended into files. One after the other on one thread. */
final class DiskSave implements Runnable {

  private final long requestNumber;
  private final List<String> names;
  private final int[] blocks;
  private final DiskParts parts;

  /**
   * Saves blocks that {@link BlockIndex#beginSave} said yes to.
   *
   * @param names of the blocks, in order
   */
  DiskSave(long requestNumber, List<String> names, int[] blocks, DiskParts parts) {
    this.requestNumber = requestNumber;
    this.names = names;
    this.blocks = blocks;
    this.parts = parts;
  }

  @Override
  public void run() {
    int done = 0;
    try {
      final ByteBuffer bytes = ByteBuffer.allocate(parts.blocks().blockBytes());
      for (; done < blocks.length; done++) {
        save(names.get(done), blocks[done], bytes);
      }
    } finally { // whatever happened: the engine keeps the blocks until then
      for (; done < blocks.length; done++) {
        parts.index().notSaved(names.get(done));
        parts.counters().failedWrites.increment();
      }
      final TransferReport report = new TransferReport();
      report.sent(requestNumber);
      parts.sink().report(report);
    }
  }

  private void save(String name, int block, ByteBuffer bytes) {
    if (!makeRoom(name, BlockFiles.HEADER_BYTES + (long) bytes.capacity())) {
      parts.counters().skippedSaves.increment();
      parts.index().notSaved(name);
      return;
    }
    parts.blocks().read(block, bytes.clear());
    try {
      parts.files().write(name, bytes.flip());
      parts.index().saved(name);
      parts.counters().saved.increment();
    } catch (IOException e) {
      parts.index().notSaved(name);
      parts.counters().failedWrites.increment();
    }
  }

  private boolean makeRoom(String name, long bytes) {
    while (!parts.index().reserve(name, bytes)) {
      final BlockIndex.Entry victim = parts.index().evict();
      if (victim == null) {
        return false;
      }
      delete(victim, parts);
      parts.counters().evicted.increment();
    }
    return true;
  }

  /** Deletes the file of a block that was taken out; one that stays goes on counting. */
  static void delete(BlockIndex.Entry entry, DiskParts parts) {
    try {
      parts.files().delete(entry.name());
      parts.index().deleted(entry);
    } catch (IOException e) {
      parts.counters().failedWrites.increment();
    }
  }
}
