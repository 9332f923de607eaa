package dev.headway.cli.journal;

import dev.headway.probes.chronicle.JournalReader;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** How far a journal is read, in a line every few seconds. One thread. */
final class ReadProgress {

  static final long LINE_EVERY_NS = TimeUnit.SECONDS.toNanos(5);

  private static final ReadProgress SILENT = new ReadProgress(line -> {}, () -> 0);

  private final Consumer<String> lines;
  private final LongSupplier clockNs;
  private long nextLineNs;

  ReadProgress(Consumer<String> lines, LongSupplier clockNs) {
    this.lines = lines;
    this.clockNs = clockNs;
    this.nextLineNs = clockNs.getAsLong() + LINE_EVERY_NS;
  }

  static ReadProgress silent() {
    return SILENT;
  }

  /** Says how far it is, unless it was said a moment ago. */
  void advanced(JournalReader reader) {
    final long nowNs = clockNs.getAsLong();
    if (nowNs >= nextLineNs) {
      nextLineNs = nowNs + LINE_EVERY_NS;
      lines.accept(line(reader.recordsRead(), reader.bytesRead(), reader.bytesTotal()));
    }
  }

  static String line(long records, long bytesRead, long bytesTotal) {
    final String share =
        bytesTotal <= 0
            ? ""
            : String.format(
                Locale.ROOT, "%.1f %%, ", Math.min(100, 100.0 * bytesRead / bytesTotal));
    return share + "records=" + records;
  }
}
