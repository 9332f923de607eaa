package dev.headway.simulation.workload;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/** Headway's own CSV, with all columns. */
final class CanonicalWriter implements RequestWriter {
  /** Lines end as on Unix, whatever system writes them. */
  static final CSVFormat CSV = CSVFormat.RFC4180.builder().setRecordSeparator('\n').get();

  private final CSVPrinter csv;
  private final Losses losses = new Losses();

  CanonicalWriter(Appendable out) throws IOException {
    csv = new CSVPrinter(out, CSV);
    csv.printRecord(
        "request_id",
        "arrival_ns",
        "input_tokens",
        "output_tokens",
        "tenant",
        "priority",
        "prefix_block_tokens",
        "prefix_blocks");
  }

  @Override
  public void write(WorkloadRequest request) throws IOException {
    losses.addExtras(request);
    final boolean shared = request.prefixBlockCount() > 0;
    csv.printRecord(
        request.requestId(),
        request.arrivalNs(),
        request.inputTokens(),
        request.outputTokens(),
        request.tenant(),
        request.priority(),
        shared ? request.prefixBlockTokens() : null,
        shared ? ids(request) : null);
  }

  private static String ids(WorkloadRequest request) {
    return Arrays.stream(request.prefixBlockIds())
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(" "));
  }

  @Override
  public Losses losses() {
    return losses;
  }
}
