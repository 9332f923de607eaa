package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.TraceFormatException;
import dev.headway.simulation.workload.TraceReaders;
import dev.headway.simulation.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;

/**
 * Opens whatever describes a load: a trace, the folder of a run of vLLM that LLMServingSim recorded
 * ({@value #RECORDED_REQUESTS}), the directory of a ServeGen data set or of another kind that a
 * {@link LoadDirectory} knows, a workload spec of BLIS, or the YAML header of a BLIS trace.
 *
 * <p>A ServeGen directory has {@code chunk-*-trace.csv} and {@code chunk-*-dataset.json}; each pair
 * is a client and a tenant. YAML files end with {@code .yaml} or {@code .yml}; one with the key
 * {@code trace_version} is the header of the CSV beside it, with the same name. A spec has the
 * strict keys of BLIS; of these, several turns, concurrency, other media, {@code servegen_data} and
 * {@code inference_perf} are refused. All else is a trace, see {@link TraceReaders}.
 *
 * <p>Stateless and safe from any thread.
 */
public final class LoadFiles {

  /** The requests of a server that was recorded, in the folder of the run. */
  public static final String RECORDED_REQUESTS = "requests.jsonl";

  private LoadFiles() {}

  /**
   * Opens a file or a directory.
   *
   * @param path where it is
   * @param format of a trace; {@link TraceFormat#AUTO} for all else
   * @return the load; it owns the open file
   * @throws IOException if it cannot be opened or read
   * @throws TraceFormatException if it is not what it should be
   */
  public static Workload open(Path path, TraceFormat format) throws IOException {
    if (format == TraceFormat.AUTO && Files.isDirectory(path)) {
      for (LoadDirectory kind : ServiceLoader.load(LoadDirectory.class)) {
        if (kind.isOne(path)) {
          return kind.open(path);
        }
      }
      final Path recorded = path.resolve(RECORDED_REQUESTS);
      return Files.isRegularFile(recorded)
          ? TraceReaders.open(recorded)
          : ServeGenDirectory.open(path);
    }
    if (Files.isDirectory(path)) {
      throw new TraceFormatException(
          "a format is of a file: path=" + path + ", format=" + format + "; leave it out", null);
    }
    final String name = path.toString().toLowerCase(Locale.ROOT);
    if (format == TraceFormat.AUTO && (name.endsWith(".yaml") || name.endsWith(".yml"))) {
      final SpecNode top = YamlFile.read(path);
      return top.has("trace_version")
          ? TraceReaders.open(dataOf(path, top), TraceFormat.TRACEV2)
          : WorkloadSpec.open(path.toString(), top);
    }
    return TraceReaders.open(path, format);
  }

  /** The CSV that a header is for; the other keys of the header say nothing about requests. */
  private static Path dataOf(Path header, SpecNode top) throws IOException {
    final String unit = top.text("time_unit", "us");
    if (!List.of("us", "microseconds").contains(unit)) {
      throw top.wrong("time_unit", "must be microseconds");
    }
    final String base = String.valueOf(header.getFileName()).replaceFirst("(?i)\\.ya?ml$", "");
    for (String suffix : new String[] {".csv", ".csv.gz"}) {
      final Path data = header.resolveSibling(base + suffix);
      if (Files.exists(data)) {
        return data;
      }
    }
    throw new NoSuchFileException(
        header.resolveSibling(base + ".csv").toString(), null, "the header's data is missing");
  }
}
