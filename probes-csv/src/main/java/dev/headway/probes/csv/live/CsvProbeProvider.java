package dev.headway.probes.csv.live;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeEnvironment;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.api.probe.ProbeRequest;
import dev.headway.events.live.LiveOptions;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.live.NamedOptions;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IdLists;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.probes.csv.option.TextPolicy;
import dev.headway.toolbox.output.OverwriteMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes a probe that writes CSV while the engine runs; its name is {@code csv}.
 *
 * <table>
 *   <caption>Options</caption>
 *   <tr><td>dir</td><td>required</td></tr>
 *   <tr><td>place</td><td>run: each run gets a sub-directory (unless set); dir: the files are in
 *       the directory itself, and only later runs get sub-directories</td></tr>
 *   <tr><td>iterationRequests</td><td>full (unless set), changes or off</td></tr>
 *   <tr><td>ids</td><td>compact (unless set) or full</td></tr>
 *   <tr><td>text</td><td>neutralised (unless set) or raw</td></tr>
 * </table>
 *
 * <p>And those of {@link NamedOptions}.
 */
public final class CsvProbeProvider implements ProbeProvider {

  /** Called by {@link java.util.ServiceLoader}. */
  public CsvProbeProvider() {}

  @Override
  public String name() {
    return "csv";
  }

  @Override
  public String description() {
    return "Writes CSV files while the engine runs; needs the option dir.";
  }

  /**
   * {@code HEADWAY_SCHEDULER_LOGGING}, or {@code VLLM_SCHEDULER_LOGGING}: 1 asks for the files, 0
   * does not, {@code summary} leaves out the rows of each request in each step. They go to {@code
   * HEADWAY_SCHEDULER_LOG_DIR}, or {@code VLLM_SCHEDULER_LOG_DIR}.
   */
  @Override
  public @Nullable ProbeRequest requested(ProbeEnvironment environment) {
    return LoggingSwitch.read(environment);
  }

  /**
   * Begins the files.
   *
   * @throws IOException if they cannot be made
   * @throws IllegalArgumentException if an option is missing, unknown or out of range
   */
  @Override
  public Probe create(ProbeContext context) throws IOException {
    final NamedOptions options =
        new NamedOptions(
            name(), context.options(), "dir", "place", "iterationRequests", "ids", "text");
    final Path directory = Path.of(options.required("dir"));
    final ConvertOptions convert =
        new ConvertOptions(
            OverwriteMode.REFUSE,
            options.choice("text", TextPolicy.NEUTRALISED),
            options.choice("iterationRequests", IterationRequests.FULL),
            options.choice("ids", IdLists.COMPACT));
    final LiveOptions live = options.live();
    final LiveCsv csv =
        options.choice("place", Place.RUN) == Place.DIR
            ? LiveCsv.beginIn(directory, convert)
            : LiveCsv.begin(directory, convert);
    return LiveProbe.of(live, List.of(csv));
  }

  /** Where the files of a run are. */
  private enum Place {
    RUN,
    DIR
  }
}
