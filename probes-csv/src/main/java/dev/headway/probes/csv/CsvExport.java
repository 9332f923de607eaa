package dev.headway.probes.csv;

import dev.headway.events.model.RunModel;
import dev.headway.events.record.RecordVisitor;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.projection.Anomalies;
import dev.headway.probes.csv.projection.RowFiles;
import dev.headway.probes.csv.projection.RunProjection;
import dev.headway.probes.csv.table.ManifestFile;
import dev.headway.toolbox.output.OutputDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * The CSV files and the manifest of one stream of records.
 *
 * <p>Feed {@link #visitor()}, then call {@link #finish}; {@link #close} without it leaves no trace.
 * To watch a writer at work, call {@link #publish} now and then: from the first call on the files
 * are in place and hold whole rows. One thread.
 */
public final class CsvExport implements AutoCloseable {

  private final ConvertOptions options;
  private final OutputDirectory output;
  private final RowFiles files;
  private final RunProjection projection;
  private final RunModel model;

  private CsvExport(ConvertOptions options, OutputDirectory output, RowFiles files) {
    this.options = options;
    this.output = output;
    this.files = files;
    this.projection = new RunProjection(files, options);
    this.model = new RunModel(projection);
  }

  /**
   * Begins an export to the directory {@code target}, which appears with {@link #finish} or {@link
   * #publish}.
   *
   * @throws java.nio.file.FileSystemException if {@code target} exists and may not be replaced
   * @throws IOException if the files cannot be made
   */
  public static CsvExport begin(Path target, ConvertOptions options) throws IOException {
    final OutputDirectory output = OutputDirectory.prepare(target, options.overwrite(), content());
    try {
      final RowFiles files = RowFiles.create(output.directory(), options.text());
      return new CsvExport(options, output, files);
    } catch (IOException e) {
      output.close();
      throw e;
    }
  }

  /** Takes the records, in order. */
  public RecordVisitor visitor() {
    return model;
  }

  /** Rows so far, over all files. */
  public long rows() {
    return files.rows();
  }

  /** What was odd about the records so far. */
  Anomalies anomalies() {
    return projection.anomalies();
  }

  /** Whether a run has begun. */
  public boolean hasBegun() {
    return !projection.headers().isEmpty();
  }

  /** Whether the latest run was closed by its writer. */
  public boolean endedCleanly() {
    return projection.endedCleanly();
  }

  /** Brings the files in their place up to date and lets the export go on. */
  public void publish(JournalEnd end) throws IOException {
    files.flush();
    Manifest.write(output.directory(), options, projection, files, end);
    if (!output.isPublished()) {
      files.close();
      output.publish();
      files.continueIn(output.directory());
    }
  }

  /**
   * Writes the rows of requests still alive and the manifest, and puts the files in their place.
   */
  public void finish(JournalEnd end) throws IOException {
    model.close();
    files.close();
    Manifest.write(output.directory(), options, projection, files, end);
    output.publish();
  }

  /** Closes the files; what was neither published nor finished is removed. */
  @Override
  public void close() throws IOException {
    try {
      files.close();
    } finally {
      output.close();
    }
  }

  private static OutputDirectory.Content content() {
    final Set<String> names = new HashSet<>();
    RowFiles.tables().forEach(table -> names.add(table.fileName()));
    names.add(ManifestFile.NAME);
    names.add(ManifestFile.SCRATCH_NAME);
    return new OutputDirectory.Content("a conversion", names);
  }
}
