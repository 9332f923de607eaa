package dev.headway.cli.sweep;

import dev.headway.simulation.sweep.SweepRow;
import dev.headway.simulation.sweep.SweepTable;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What of a sweep that was stopped is kept: its rows but for those of the last cell, which is run
 * again. Its last row may be torn, and of a search there may be rows to come.
 *
 * @param bytes of the file, 0 if nothing is kept
 * @param lastCell whose rows are all there, 0 for none
 * @param rows kept
 * @param failed those of them that failed
 */
record KeptRows(long bytes, int lastCell, long rows, long failed) {

  private static final KeptRows NONE = new KeptRows(0, 0, 0, 0);

  /** Reads a file that may be missing, or end anywhere. */
  static KeptRows read(Path part, SweepTable table) throws IOException {
    if (!Files.exists(part)) {
      return NONE;
    }
    try (BufferedReader reader = Files.newBufferedReader(part)) {
      if (!table.header().equals(reader.readLine())) {
        return NONE;
      }
      KeptRows read = new KeptRows(bytes(table.header()), 0, 0, 0);
      KeptRows beforeLastCell = read;
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        final SweepRow row;
        try {
          row = table.row(line);
        } catch (IllegalArgumentException e) {
          break; // torn: the sweep was stopped here
        }
        if (row.cell() != read.lastCell) {
          beforeLastCell = read;
        }
        read = read.with(row, bytes(line), table.isFailed(row));
      }
      return beforeLastCell;
    }
  }

  private KeptRows with(SweepRow row, long more, boolean isFailed) {
    return new KeptRows(bytes + more, row.cell(), rows + 1, failed + (isFailed ? 1 : 0));
  }

  private static long bytes(String line) {
    return line.getBytes(StandardCharsets.UTF_8).length + 1L;
  }
}
