package dev.headway.loadgen.output;

import dev.headway.loadgen.page.TimelinePage;
import dev.headway.loadgen.result.HeadwayJson;
import dev.headway.loadgen.result.RequestsCsv;
import dev.headway.loadgen.result.RunReport;
import dev.headway.loadgen.result.SglangJson;
import dev.headway.loadgen.result.VllmJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The files of a run. Stateless. */
public final class RunFiles {

  /** Our own result. */
  public static final String RESULT = "result.json";

  /** The page. */
  public static final String TIMELINE = "timeline.html";

  /** Every name that a run's directory may hold. */
  public static final Set<String> NAMES =
      Set.of(RESULT, TIMELINE, RequestsCsv.NAME, "node_requests.csv", "router_requests.csv");

  private static final JsonMapper JSON = JsonMapper.shared();

  private RunFiles() {}

  /** Shapes of a result file. */
  public enum Format {
    /** All that there is. */
    SDK,
    /** That of {@code vllm bench serve}. */
    VLLM,
    /** That of {@code sglang.bench_serving}. */
    SGLANG
  }

  /**
   * Writes all files of a run.
   *
   * @param directory exists
   * @param detailed whether the result holds times and texts of each request
   */
  public static void write(Path directory, RunReport report, String runId, boolean detailed)
      throws IOException {
    final byte[] result = pretty(HeadwayJson.of(report, detailed));
    Files.write(directory.resolve(RESULT), result);
    RequestsCsv.write(directory.resolve(RequestsCsv.NAME), report.run());
    report.chain().write(directory.resolve(report.chain().fileName()), runId);
    Files.writeString(directory.resolve(TIMELINE), TimelinePage.render(report));
  }

  /**
   * Writes a result in a shape.
   *
   * @param file to make, or to append a line to
   * @param appends whether a file that exists keeps what it has; SGLang's always does
   */
  public static void write(
      Path file, Format format, RunReport report, boolean detailed, boolean appends)
      throws IOException {
    final ObjectNode json =
        switch (format) {
          case SDK -> HeadwayJson.of(report, detailed);
          case VLLM -> VllmJson.of(report, detailed);
          case SGLANG -> SglangJson.of(report, detailed);
        };
    final byte[] line = (json + "\n").getBytes(StandardCharsets.UTF_8);
    if (appends || format == Format.SGLANG) {
      Files.write(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } else {
      Files.write(file, line);
    }
  }

  /** The name that a file of a shape has if it is given none. */
  public static String fileName(Format format, RunReport report) {
    return switch (format) {
      case SDK -> RESULT;
      case VLLM -> VllmJson.fileName(report);
      case SGLANG -> SglangJson.fileName(report);
    };
  }

  private static byte[] pretty(ObjectNode json) {
    return (JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n")
        .getBytes(StandardCharsets.UTF_8);
  }
}
