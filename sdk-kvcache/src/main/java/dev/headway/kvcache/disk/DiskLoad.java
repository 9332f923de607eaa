package dev.headway.kvcache.disk;

import dev.headway.api.executor.KvBlockAccess;
import dev.headway.api.step.TransferReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/** Reads the files of one request into its blocks, up to the first that fails. */
final class DiskLoad implements Runnable {

  private final long requestNumber;
  private final List<BlockIndex.Entry> entries;
  private final int[] targets;
  private final DiskParts parts;
  private final Consumer<BlockIndex.Entry> useless;
  private volatile boolean cancelled;

  /**
   * Loads pinned blocks, and takes the pins back.
   *
   * @param targets a block for each
   * @param useless gets an entry whose file is not what was written, on a thread of the load
   */
  DiskLoad(
      long requestNumber,
      List<BlockIndex.Entry> entries,
      int[] targets,
      DiskParts parts,
      Consumer<BlockIndex.Entry> useless) {
    this.requestNumber = requestNumber;
    this.entries = entries;
    this.targets = targets;
    this.parts = parts;
    this.useless = useless;
  }

  /** The request has ended: what is not loaded yet need not be. Any thread. */
  void cancel() {
    cancelled = true;
  }

  @Override
  public void run() {
    final TransferReport report = new TransferReport();
    int loaded = 0;
    try {
      final KvBlockAccess blocks = parts.blocks();
      final ByteBuffer bytes = ByteBuffer.allocate(blocks.blockBytes());
      while (loaded < targets.length && !cancelled && load(loaded, blocks, bytes)) {
        loaded++;
      }
    } finally { // whatever happened: the engine waits for it
      parts.counters().loaded.add(loaded);
      for (int i = loaded; i < targets.length; i++) {
        report.invalid(targets[i]);
      }
      entries.forEach(parts.index()::unpin);
      report.received(requestNumber);
      parts.sink().report(report);
    }
  }

  private boolean load(int index, KvBlockAccess blocks, ByteBuffer bytes) {
    final BlockIndex.Entry entry = entries.get(index);
    try {
      parts.files().read(entry.name(), bytes.clear());
      blocks.write(targets[index], bytes);
      return true;
    } catch (CorruptBlockException e) {
      parts.counters().corrupt.increment();
      useless.accept(entry);
    } catch (IOException e) {
      parts.counters().failedReads.increment();
      useless.accept(entry);
    }
    return false;
  }
}
